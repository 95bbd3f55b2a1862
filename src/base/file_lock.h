// Locks that one process has to itself for as long as it lives.

#pragma once

namespace gateleg {

// An exclusive lock (flock) on an open file or directory, which ends when that is closed. False if
// another process keeps it for longer than a second: a server that was killed while it started a
// program of its own may leave a child that holds the lock until that program runs.
bool lock_exclusively(int descriptor);

}  // namespace gateleg
