# cmake -DSYSTEMS=dir -DOUTPUT=file -P: the texts of every system as string literals.
file(GLOB models "${SYSTEMS}/*/model.yaml")
list(SORT models)
set(entries "")
foreach(model IN LISTS models)
  get_filename_component(folder "${model}" DIRECTORY)
  get_filename_component(name "${folder}" NAME)
  set(entry "        {\"${name}\"")
  foreach(part model catalog demo)
    set(text "")
    if(EXISTS "${folder}/${part}.yaml")
      file(READ "${folder}/${part}.yaml" text)
    endif()
    string(APPEND entry ",\n         R\"EMBEDDED(${text})EMBEDDED\"")
  endforeach()
  string(APPEND entries "${entry}},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "#include \"systems/registry.h\"\n
namespace gateleg::systems {\n
const std::vector<SystemFiles>& built_in_systems() {
    static const std::vector<SystemFiles> kSystems = {\n${entries}    };
    return kSystems;
}\n
}  // namespace gateleg::systems\n")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
