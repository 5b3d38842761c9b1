// Mistakes that users of the tensor API make: each line that begins with a
// number. check-mistakes.py has what compilers must say.
#include "TinyGrad/Tensor/Functions.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <array>
#include <string>
#include <vector>

using namespace tinygrad;

void mistakes(Tensor x, Tensor y, std::vector<Tensor> list, std::string text) {
  /* 1*/ if (x == y) {
  }
  /* 2*/ x.reshape(2.5);
  /* 3*/ x.reshape("2, 3");
  /* 4*/ x.reshape(std::vector<float>{2, 3});
  /* 5*/ x.sum(1.5);
  /* 6*/ x + text;
  /* 7*/ x.add("1");
  /* 8*/ (x + y) = x;
  /* 9*/ x.shrink({{0, 2}, {0, 2}}) = y;
  /*10*/ x[0][1] = text;
  /*11*/ x["a"];
  /*12*/ Tensor z = 2.5f;
  /*14*/ Tensor::from(text);
  /*15*/ Tensor::from(std::vector<std::string>{"a"});
  /*16*/ Tensor::zeros({2, 3}, 5);
  /*17*/ Tensor::zeros({2, 3}, {.type = DType::Int8});
  /*18*/ x.cast<std::string>();
  /*19*/ x.item<char *>();
  /*20*/ x.conv2d(y, {.pad = 1});
  /*21*/ x.permute(0, 1.5);
  /*22*/ Tensor::cat(x, y);
  /*23*/ x.where(y);
  /*24*/ for (auto row : x)
    (void)row;
  /*25*/ float value = x.sum();
  /*26*/ x.pad({{1, 1}, {1}});
  /*27*/ x.relu;
  /*28*/ x.index(0, 1);
  /*29*/ x &&y;
  /*30*/ exp(text);
}
