// Prints a model file that was drafted, and what is still wrong with it.

#pragma once

#include <string>
#include <vector>

namespace gateleg::cli {

// The file to stdout, notes and errors the checker finds to stderr.
void print_draft(const std::string& yaml, const std::vector<std::string>& notes);

}  // namespace gateleg::cli
