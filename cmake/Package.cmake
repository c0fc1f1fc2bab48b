# What an installation has beside the program and its resources, and the Debian package of it (./package).
set(documentation_folder "${PROJECT_BINARY_DIR}/documentation")
set(softscope_desktop "${PROJECT_SOURCE_DIR}/resources/desktop/org.softscope.Softscope")
configure_file("${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in" "${documentation_folder}/changelog" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${documentation_folder}/CHANGELOG.md" COPYONLY)

# The manual page and completions are what the program says of its own options.
install(CODE "
  foreach(form man bash zsh fish)
    execute_process(COMMAND \"$<TARGET_FILE:softscope>\" documentation \${form}
      OUTPUT_FILE \"${documentation_folder}/softscope.\${form}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  foreach(text softscope.man changelog CHANGELOG.md)
    execute_process(COMMAND gzip -9nc \"${documentation_folder}/\${text}\"
      OUTPUT_FILE \"${documentation_folder}/\${text}.gz\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(FILES "${documentation_folder}/softscope.man.gz" RENAME softscope.1.gz DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${documentation_folder}/softscope.bash" RENAME softscope
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${documentation_folder}/softscope.zsh" RENAME _softscope
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${documentation_folder}/softscope.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

install(FILES "${softscope_desktop}.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
install(FILES "${softscope_desktop}.metainfo.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo")
install(FILES "${softscope_desktop}.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages")
install(FILES "${PROJECT_SOURCE_DIR}/resources/icons/softscope.svg" RENAME org.softscope.Softscope.svg
  DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
install(FILES "${documentation_folder}/changelog.gz" "${documentation_folder}/CHANGELOG.md.gz"
  "${PROJECT_SOURCE_DIR}/cmake/debian/copyright" "${PROJECT_SOURCE_DIR}/README.md"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/softscope")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/debian/lintian-overrides" RENAME softscope
  DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/softscope"
  PATTERN "*.py" EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME softscope)
set(CPACK_PACKAGE_CONTACT "The Softscope authors <softscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "look inside softmax-free and linear-attention vision models")
set(CPACK_PACKAGE_DESCRIPTION
  "Softscope opens checkpoints of SOFT, SimA, XCiT, DeiT, DINOv2, Performer,
Nystromformer, Linformer, non-local networks and their relatives as their
authors published them, and shows on a picture what every head attends to.
Whole attention matrices, spectra, convergence and norms are there, too, and
every view leaves as a figure that a paper can print.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Not linked, but needed: the BLAS that the launcher prefers, the window's connection to a display, letters.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libopenblas0-openmp, qt6-qpa-plugins, qt6-wayland, fonts-dejavu-core, shared-mime-info")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Whatever this user's umask is.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
