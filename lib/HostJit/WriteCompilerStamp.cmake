# Writes OUTPUT, which defines COMPILER_STAMP as VERSION followed by a hash of
# the names and contents of the files listed in FILES, relative to ROOT.
file(STRINGS ${FILES} files)
list(SORT files)
set(hashes "")
foreach(file IN LISTS files)
  if(EXISTS ${file})
    file(SHA256 ${file} hash)
    file(RELATIVE_PATH name ${ROOT} ${file})
    string(APPEND hashes "${name} ${hash}\n")
  endif()
endforeach()
string(SHA256 stamp "${hashes}")
file(WRITE ${OUTPUT} "#define COMPILER_STAMP \"${VERSION}-${stamp}\"\n")
