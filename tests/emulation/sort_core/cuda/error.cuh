#pragma once
#include "tests/emulation/emulation.hpp"

#define ORDO_CUDA(call) (call)
