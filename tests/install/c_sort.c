#include <ordo.h>
#include <stdio.h>

int main(void) {
  float keys[] = {3, 1, 2, 9, -0.5f, 7};
  const uint32_t offsets[] = {0, 3, 6};
  uint32_t values[] = {0, 1, 2, 3, 4, 5};
  ordo_machine* machine;
  ordo_segments segments = ORDO_SEGMENTS_INIT;
  ordo_sort_options options = ORDO_SORT_OPTIONS_INIT;
  int i;

  if (ordo_cpu_create(&machine, NULL) != ORDO_OK) return 1; /* or ordo_gpu_create, and memory of its device */
  segments.count = 2;
  segments.begins = offsets;
  segments.offset_type = ORDO_UINT32;
  options.order = ORDO_DESCENDING;
  if (ordo_sort_segments(machine, ORDO_FLOAT32, keys, sizeof(values[0]), values, 6, &segments, NULL, &options) != ORDO_OK)
    fprintf(stderr, "%s\n", ordo_last_error());
  for (i = 0; i < 6; ++i) printf("%g %u\n", keys[i], (unsigned)values[i]);
  ordo_machine_free(machine);
  return 0;
}
