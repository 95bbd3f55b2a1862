# cmake -DDIST=dir -DOUTPUT=file -P: every file of the console as bytes of the program, plain and compressed.
#
# Runs at each build; OUTPUT and what it includes change only when a file has changed. Without DIST the list is empty.
set(files "")
if(EXISTS "${DIST}/index.html")
  file(GLOB_RECURSE files RELATIVE "${DIST}" "${DIST}/*")
  list(FILTER files EXCLUDE REGEX "\\.map$|(^|/)\\.")
  list(SORT files COMPARE STRING)
endif()
set(folder "${OUTPUT}.files")
file(MAKE_DIRECTORY "${folder}")
set(bytes "")
set(entries "")
set(number 0)
foreach(name IN LISTS files)
  file(SHA256 "${DIST}/${name}" hash)
  string(SUBSTRING "${hash}" 0 32 tag)
  get_filename_component(extension "${name}" LAST_EXT)
  set(type "application/octet-stream")
  foreach(pair ".html=text/html; charset=utf-8" ".js=text/javascript; charset=utf-8" ".css=text/css; charset=utf-8"
      ".svg=image/svg+xml" ".json=application/json" ".woff2=font/woff2" ".png=image/png" ".txt=text/plain; charset=utf-8")
    if(pair MATCHES "^\\${extension}=(.*)$")
      set(type "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(lasting false)
  if(name MATCHES "^assets/")
    set(lasting true)
  endif()
  # The copies are named by content, so that one that is there is right.
  set(plain "${folder}/${hash}")
  set(packed "${folder}/${hash}.gz")
  if(NOT EXISTS "${plain}")
    file(COPY_FILE "${DIST}/${name}" "${plain}")
  endif()
  if(NOT EXISTS "${packed}")
    execute_process(COMMAND gzip -9nc "${plain}" OUTPUT_FILE "${packed}.new" RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "gzip could not compress ${name}")
    endif()
    file(RENAME "${packed}.new" "${packed}")
  endif()
  file(SIZE "${plain}" plain_bytes)
  file(SIZE "${packed}" packed_bytes)
  string(APPEND bytes "        \".globl gateleg_console_${number}\\n.globl gateleg_console_${number}_gz\\n\"
        \"gateleg_console_${number}:\\n.incbin \\\"${plain}\\\"\\n\"
        \"gateleg_console_${number}_gz:\\n.incbin \\\"${packed}\\\"\\n\"\n")
  string(APPEND declared "extern const char gateleg_console_${number}[];\nextern const char gateleg_console_${number}_gz[];\n")
  set(gzip "{gateleg_console_${number}_gz, ${packed_bytes}}")
  if(NOT packed_bytes LESS plain_bytes)
    set(gzip "{}")
  endif()
  string(APPEND entries "        {\"/${name}\", \"${type}\", \"${tag}\", ${lasting}, ${gzip}, {gateleg_console_${number}, ${plain_bytes}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
if(files)
  set(text "#include \"api/console/assets.h\"

__asm__(\".pushsection .rodata\\n\"
${bytes}        \".popsection\\n\");

extern \"C\" {
${declared}}

namespace gateleg::api::console {

std::span<const Asset> embedded_assets() {
    static const Asset kAssets[] = {
${entries}    };
    return kAssets;
}

}  // namespace gateleg::api::console
")
else()
  set(text "#include \"api/console/assets.h\"

namespace gateleg::api::console {

std::span<const Asset> embedded_assets() {
    return {};
}

}  // namespace gateleg::api::console
")
endif()
set(before "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
