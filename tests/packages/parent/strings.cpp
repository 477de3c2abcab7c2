char const* parents_string() {
  return "sorted:";
}
