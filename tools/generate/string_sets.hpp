#pragma once
#include <cstddef>

#include "tools/generate/random.hpp"
#include "tools/generate/sink.hpp"

/// The string sets whose lines have a structure of their own. Each writes `count` lines.
namespace ordo::inline v0::generate {

/// Library of Congress call numbers, a third of them the next volume of the one before.
void write_dictcalls(std::size_t count, random_source& random, sink& out);
/// Distinct words: pseudo-English, compounds and derived forms.
void write_words(std::size_t count, random_source& random, sink& out);
/// Addresses as a crawler meets them, the popular ones many times.
void write_urls(std::size_t count, random_source& random, sink& out);
/// Sentences of a Zipf vocabulary, half of them with an opening that was there before.
void write_sentences(std::size_t count, random_source& random, sink& out);
/// The files of one machine under the names of five.
void write_filelist(std::size_t count, random_source& random, sink& out);

}  // namespace ordo::inline v0::generate
