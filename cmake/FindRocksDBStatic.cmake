# RocksDB::static: librocksdb.a with the compressors it was built with.
#
# The package's own config file asks for gflags, which only its tools use, and for shared compressors; this
# one links archives, so that the server runs where no RocksDB is installed.
# -DROCKSDB_ROOT=DIR picks another build than the system's.

set(_rocksdb_hints ${ROCKSDB_ROOT} $ENV{ROCKSDB_ROOT})
find_path(ROCKSDB_INCLUDE_DIR rocksdb/db.h HINTS ${_rocksdb_hints} PATH_SUFFIXES include)
find_library(ROCKSDB_LIBRARY librocksdb.a HINTS ${_rocksdb_hints} PATH_SUFFIXES lib lib64)

if(ROCKSDB_INCLUDE_DIR)
  file(STRINGS "${ROCKSDB_INCLUDE_DIR}/rocksdb/version.h" _rocksdb_version
    REGEX "#define ROCKSDB_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" _rocksdb_version "${_rocksdb_version}")
  list(JOIN _rocksdb_version "." RocksDBStatic_VERSION)
endif()

set(_rocksdb_needs)
foreach(_compressor IN ITEMS lz4 zstd snappy bz2 z)
  find_library(ROCKSDB_${_compressor}_LIBRARY NAMES lib${_compressor}.a ${_compressor})
  mark_as_advanced(ROCKSDB_${_compressor}_LIBRARY)
  list(APPEND _rocksdb_needs ROCKSDB_${_compressor}_LIBRARY)
endforeach()
mark_as_advanced(ROCKSDB_INCLUDE_DIR ROCKSDB_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RocksDBStatic
  REQUIRED_VARS ROCKSDB_LIBRARY ROCKSDB_INCLUDE_DIR ${_rocksdb_needs}
  VERSION_VAR RocksDBStatic_VERSION)

if(RocksDBStatic_FOUND AND NOT TARGET RocksDB::static)
  find_package(Threads REQUIRED)
  add_library(RocksDB::static STATIC IMPORTED)
  set_target_properties(RocksDB::static PROPERTIES
    IMPORTED_LOCATION "${ROCKSDB_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${ROCKSDB_INCLUDE_DIR}")
  foreach(_library IN LISTS _rocksdb_needs)
    set_property(TARGET RocksDB::static APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${${_library}}")
  endforeach()
  set_property(TARGET RocksDB::static APPEND PROPERTY
    INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS})
endif()
