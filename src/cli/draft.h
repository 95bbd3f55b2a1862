// Prints a model file that was drafted, and what is wrong with a file.

#pragma once

#include <string>
#include <vector>

#include "model/diagnostics.h"

namespace gateleg::cli {

// Errors alone, to stderr.
void print_errors(const model::Diagnostics& found, const std::string& file);

// The file to stdout, notes and errors the checker finds to stderr.
void print_draft(const std::string& yaml, const std::vector<std::string>& notes);

}  // namespace gateleg::cli
