#pragma once
#include "tests/gpu/emulation/emulation.hpp"

#define ORDO_CUDA(call) (call)
