# cmake --install, and the Debian package that CPack makes of it.
include(GNUInstallDirs)

# Manual and completions are what the program itself prints.
set(pages "${PROJECT_BINARY_DIR}/pages")
add_custom_command(OUTPUT "${pages}/gateleg.1.gz"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${pages}"
  COMMAND $<TARGET_FILE:gateleg> man > "${pages}/gateleg.1"
  COMMAND gzip -9nf "${pages}/gateleg.1"
  COMMAND $<TARGET_FILE:gateleg> completions bash > "${pages}/gateleg"
  COMMAND $<TARGET_FILE:gateleg> completions zsh > "${pages}/_gateleg"
  COMMAND $<TARGET_FILE:gateleg> completions fish > "${pages}/gateleg.fish"
  COMMAND gzip -9nc "${PROJECT_SOURCE_DIR}/packaging/changelog" > "${pages}/changelog.gz"
  DEPENDS gateleg COMMENT "Writing the manual page and completions" VERBATIM)
# Only where packages are made: a program under a sanitizer is slow to print.
set(in_all "")
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(in_all ALL)
endif()
add_custom_target(gateleg_pages ${in_all} DEPENDS "${pages}/gateleg.1.gz")

install(TARGETS gateleg RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES "${pages}/gateleg.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${pages}/gateleg" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${pages}/_gateleg" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${pages}/gateleg.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES "${pages}/changelog.gz" "${PROJECT_SOURCE_DIR}/packaging/copyright" "${PROJECT_SOURCE_DIR}/README.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/packaging/lintian-overrides" DESTINATION share/lintian/overrides RENAME gateleg)
install(FILES "${PROJECT_SOURCE_DIR}/packaging/gateleg.service" DESTINATION lib/systemd/system)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gateleg)
set(CPACK_PACKAGE_CONTACT "The Gateleg authors <maintainers@gateleg.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "DynamoDB API, S3 API and typed APIs from model files")
set(CPACK_PACKAGE_DESCRIPTION "Runs a single-table design: one program with an
embedded engine that speaks the DynamoDB and S3 APIs, makes a typed HTTP API
of each model file, and has a console.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when it is needed, so that nothing but this line says so.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4 (>= 7.85)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
include(CPack)
