# Writes a file as an array of a program:
#   cmake -DFILE=... -DOUT=file.cpp -DNAME=... -P EmbedFile.cmake
# The array is `extern const unsigned char NAME[]`, its size `NAMESize`.
file(READ ${FILE} bytes HEX)
string(LENGTH "${bytes}" size)
math(EXPR size "${size} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((.....){16})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "// Made by cmake/EmbedFile.cmake.
extern const unsigned char ${NAME}[];
extern const unsigned long ${NAME}Size;
const unsigned char ${NAME}[] = {
${bytes}
};
const unsigned long ${NAME}Size = ${size};
")
