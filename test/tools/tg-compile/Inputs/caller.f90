! Calls a library that tg-compile made, through the C interface of Fortran 2003.
program caller
  use iso_c_binding
  implicit none
  interface
    function net_init(state) bind(c)
      import :: c_ptr, c_int
      type(c_ptr), value :: state
      integer(c_int) :: net_init
    end function
    function net_forward(state, x, y, n) bind(c)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: state, x, y
      integer(c_int64_t), value :: n
      integer(c_int) :: net_forward
    end function
    function net_message(status) bind(c)
      import :: c_ptr, c_int
      integer(c_int), value :: status
      type(c_ptr) :: net_message
    end function
  end interface
  ! The last index of C is the first one of Fortran. Results and the state begin at a
  ! multiple of 64 bytes: each array has room for that.
  real(c_float), target :: memory(4096)
  real(c_float), pointer :: y(:, :)
  real(c_float), target :: x(16, 64)
  type(c_ptr) :: state, result
  integer :: i, j, first
  character(kind=c_char), pointer :: message(:)
  do i = 1, 64
    do j = 1, 16
      x(j, i) = real(mod((i - 1) * 3 + j - 1, 7))
    end do
  end do
  first = 1 + int(modulo(-transfer(c_loc(memory), 1_c_int64_t), 64_c_int64_t) / 4)
  state = c_loc(memory(first))
  result = c_loc(memory(first + 1024))
  call c_f_pointer(result, y, [4, 64])
  if (net_init(state) /= 0) stop 1
  if (net_forward(state, c_loc(x), result, 50_c_int64_t) /= 0) stop 2
  do i = 1, 50
    do j = 1, 4
      if (y(j, i) /= 1 + dot_product(x(:, i), [(real(first - j), first = 1, 16)])) stop 3
    end do
  end do
  if (net_forward(state, c_loc(x), result, 65_c_int64_t) /= 3) stop 4
  call c_f_pointer(net_message(3), message, [6])
  if (any(message /= ['a', ' ', 's', 'i', 'z', 'e'])) stop 5
  print '(a)', 'passed'
end program
