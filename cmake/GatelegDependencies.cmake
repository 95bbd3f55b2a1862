# Every package the project builds on, in one place. Modules name the targets, never a path.
#
#   Boost::headers  simdjson::simdjson  OpenSSL::SSL  OpenSSL::Crypto  CLI11::CLI11  Threads::Threads  CURL::headers
#   yaml-cpp::yaml-cpp  re2::re2  argon2::argon2  RocksDB::static  xxHash::xxhash  utf8proc::utf8proc  jemalloc::static (GATELEG_JEMALLOC)
#   JPEG::archive  WebP::archive  spng::spng  zstd::archive
#   GTest::*  rapidcheck (GATELEG_TESTS)

find_package(Threads REQUIRED)
# Not Debian's default 1.74, whose asio/awaitable.hpp does not compile alone with g++ 12.
find_package(Boost 1.81 REQUIRED)
find_package(simdjson REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
# curl_multi_poll and CURLOPT_PROTOCOLS_STR; Debian 12 has 7.88.
find_package(CURL 7.85 REQUIRED)
# Only its headers: the program loads the library when it first calls another server (base/curl_library.h).
if(NOT TARGET CURL::headers)
  add_library(CURL::headers INTERFACE IMPORTED)
  set_target_properties(CURL::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CURL_INCLUDE_DIRS}")
endif()
find_package(CLI11 REQUIRED)
find_package(RocksDBStatic REQUIRED)

# Archives where there are any, so that the program runs where these packages are not installed. Debian's
# yaml-cpp 0.7 names its target without a namespace, and its RE2 comes without a config file.
find_path(YAML_CPP_HEADERS yaml-cpp/yaml.h REQUIRED)
find_library(YAML_CPP_ARCHIVE NAMES libyaml-cpp.a yaml-cpp REQUIRED)
find_path(RE2_HEADERS re2/re2.h REQUIRED)
find_library(RE2_ARCHIVE NAMES libre2.a re2 REQUIRED)
mark_as_advanced(YAML_CPP_HEADERS YAML_CPP_ARCHIVE RE2_HEADERS RE2_ARCHIVE)
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp UNKNOWN IMPORTED)
  set_target_properties(yaml-cpp::yaml-cpp PROPERTIES
    IMPORTED_LOCATION "${YAML_CPP_ARCHIVE}" INTERFACE_INCLUDE_DIRECTORIES "${YAML_CPP_HEADERS}")
endif()
if(NOT TARGET re2::re2)
  add_library(re2::re2 UNKNOWN IMPORTED)
  set_target_properties(re2::re2 PROPERTIES
    IMPORTED_LOCATION "${RE2_ARCHIVE}" INTERFACE_INCLUDE_DIRECTORIES "${RE2_HEADERS}"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY NAMES libxxhash.a xxhash REQUIRED)
mark_as_advanced(XXHASH_INCLUDE_DIR XXHASH_LIBRARY)
if(NOT TARGET xxHash::xxhash)
  add_library(xxHash::xxhash UNKNOWN IMPORTED)
  set_target_properties(xxHash::xxhash PROPERTIES
    IMPORTED_LOCATION "${XXHASH_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${XXHASH_INCLUDE_DIR}")
endif()

find_path(UTF8PROC_HEADERS utf8proc.h REQUIRED)
find_library(UTF8PROC_ARCHIVE NAMES libutf8proc.a utf8proc REQUIRED)
mark_as_advanced(UTF8PROC_HEADERS UTF8PROC_ARCHIVE)
if(NOT TARGET utf8proc::utf8proc)
  add_library(utf8proc::utf8proc UNKNOWN IMPORTED)
  set_target_properties(utf8proc::utf8proc PROPERTIES
    IMPORTED_LOCATION "${UTF8PROC_ARCHIVE}" INTERFACE_INCLUDE_DIRECTORIES "${UTF8PROC_HEADERS}")
endif()

# Pictures, for thumbnails. Debian has no archive of libspng.
find_path(JPEG_HEADERS jpeglib.h REQUIRED)
find_library(JPEG_ARCHIVE NAMES libjpeg.a jpeg REQUIRED)
find_path(WEBP_HEADERS webp/decode.h REQUIRED)
find_library(WEBP_ARCHIVE NAMES libwebp.a webp REQUIRED)
find_library(WEBP_DEMUX_ARCHIVE NAMES libwebpdemux.a webpdemux REQUIRED)
find_path(SPNG_HEADERS spng.h REQUIRED)
find_library(SPNG_LIBRARY NAMES libspng.a libspng_static.a spng REQUIRED)
mark_as_advanced(JPEG_HEADERS JPEG_ARCHIVE WEBP_HEADERS WEBP_ARCHIVE WEBP_DEMUX_ARCHIVE SPNG_HEADERS SPNG_LIBRARY)
if(NOT TARGET spng::spng)
  add_library(JPEG::archive UNKNOWN IMPORTED)
  set_target_properties(JPEG::archive PROPERTIES
    IMPORTED_LOCATION "${JPEG_ARCHIVE}" INTERFACE_INCLUDE_DIRECTORIES "${JPEG_HEADERS}")
  add_library(WebP::archive UNKNOWN IMPORTED)
  set_target_properties(WebP::archive PROPERTIES
    IMPORTED_LOCATION "${WEBP_DEMUX_ARCHIVE}" INTERFACE_INCLUDE_DIRECTORIES "${WEBP_HEADERS}"
    INTERFACE_LINK_LIBRARIES "${WEBP_ARCHIVE};Threads::Threads;m")
  add_library(spng::spng UNKNOWN IMPORTED)
  set_target_properties(spng::spng PROPERTIES
    IMPORTED_LOCATION "${SPNG_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SPNG_HEADERS}"
    INTERFACE_LINK_LIBRARIES "ZLIB::ZLIB;m")
endif()

# Imports that are compressed with it; the archive that RocksDB needs.
find_path(ZSTD_HEADERS zstd.h REQUIRED)
mark_as_advanced(ZSTD_HEADERS)
if(NOT TARGET zstd::archive)
  add_library(zstd::archive UNKNOWN IMPORTED)
  set_target_properties(zstd::archive PROPERTIES
    IMPORTED_LOCATION "${ROCKSDB_zstd_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${ZSTD_HEADERS}")
endif()

find_path(ARGON2_HEADERS argon2.h REQUIRED)
find_library(ARGON2_ARCHIVE NAMES libargon2.a argon2 REQUIRED)
mark_as_advanced(ARGON2_HEADERS ARGON2_ARCHIVE)
if(NOT TARGET argon2::argon2)
  add_library(argon2::argon2 UNKNOWN IMPORTED)
  set_target_properties(argon2::argon2 PROPERTIES
    IMPORTED_LOCATION "${ARGON2_ARCHIVE}" INTERFACE_INCLUDE_DIRECTORIES "${ARGON2_HEADERS}"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()

if(GATELEG_JEMALLOC)
  find_library(JEMALLOC_LIBRARY NAMES libjemalloc_pic.a libjemalloc.a REQUIRED)
  mark_as_advanced(JEMALLOC_LIBRARY)
  add_library(jemalloc::static STATIC IMPORTED)
  set_target_properties(jemalloc::static PROPERTIES
    IMPORTED_LOCATION "${JEMALLOC_LIBRARY}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;m;${CMAKE_DL_LIBS}")
endif()

if(GATELEG_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
