"""Launches the PTX and launch plan of `tx compile` (docs/launch-plan.md) on PyTorch tensors."""

import ast
import ctypes
import json
import math
import struct

import torch

_DRIVER = ctypes.CDLL("libcuda.so.1")
_BITS = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "index": "q"}


def _check(status):
    if status:
        text = ctypes.c_char_p()
        _DRIVER.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"the driver says {(text.value or b'?').decode()}")


_BINARY = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Mod: lambda a, b: a % b,
}
_CALLS = {
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "trunc_div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "trunc_rem": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.GtE: ">=", ast.Gt: ">"}
_RELATIONS = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}


def _evaluate(expression, symbols):
    if isinstance(expression, int):
        return expression

    def value(node):
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return _BINARY[type(op)](value(left), value(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _RELATIONS[_COMPARE[type(op)]](value(left), value(right))
            case ast.Call(func=ast.Name(id="nonnegative"), args=[operand]):
                number = value(operand)
                if number < 0:
                    raise ValueError(f"{expression} is {number}")
                return number
            case ast.Call(func=ast.Name(id=name), args=[left, right]):
                return _CALLS[name](value(left), value(right))
            case ast.Name(id=name):
                return symbols[name]
            case ast.Attribute(value=ast.Name(id=name), attr=part):
                return symbols[f"{name}.{part}"]
        raise ValueError(f"{expression} is no expression of a launch plan")

    return value(ast.parse(expression, mode="eval").body)


def _symbols(arguments):
    symbols = {}
    for i, argument in enumerate(arguments):
        if isinstance(argument, torch.Tensor):
            symbols[f"arg{i}.offset"] = 0
            symbols[f"arg{i}.address"] = argument.data_ptr()
            for d, (size, stride) in enumerate(zip(argument.shape, argument.stride())):
                symbols[f"arg{i}.dim{d}"], symbols[f"arg{i}.stride{d}"] = size, stride
        else:
            symbols[f"arg{i}"] = argument
    return symbols


def _base(operand):
    return operand["view"]["base"] if "view" in operand else operand


class _Attribute(ctypes.Structure):
    """`CUlaunchAttribute`; its value is a union of 64 bytes."""

    _fields_ = [("id", ctypes.c_int), ("_pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class _Config(ctypes.Structure):
    """`CUlaunchConfig`."""

    _fields_ = [("sizes", ctypes.c_uint * 6), ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(_Attribute)), ("count", ctypes.c_uint)]


_CLUSTER_DIMENSION, _NON_PORTABLE_CLUSTER_SIZE_ALLOWED, _PORTABLE = 4, 14, 8
# Maximum dynamic shared memory without opt-in, in bytes, on every device.
_MAX_DYNAMIC_SHARED_SIZE_BYTES, _SHARED_WITHOUT_ASKING = 8, 48 << 10


class Program:
    """Program with its arguments, ready for launch."""

    def __init__(self, ptx, plan, arguments):
        plan = json.loads(plan)
        if plan["version"] != 2:
            raise ValueError(f"launch plan of version {plan['version']}, expected 2")
        self._module = ctypes.c_void_p()
        torch.cuda.current_stream()
        _check(_DRIVER.cuModuleLoadData(ctypes.byref(self._module), ctypes.c_char_p(ptx)))
        symbols = _symbols(arguments)
        for check in plan.get("checks", []):
            left, right = (_evaluate(check[side], symbols) for side in ("left", "right"))
            if not _RELATIONS[check["relation"]](left, right):
                raise ValueError(f"{check['message']}: {left}, {right}")
        self._keep = [arguments]
        steps = [step for step in plan["steps"] if all(_evaluate(c, symbols) for c in step.get("when", []))]
        used = {operand["temporary"] for step in steps for operand in map(_base, step["operands"]) if "temporary" in operand}
        temporaries = []
        for i, temporary in enumerate(plan.get("temporaries", [])):
            # If only skipped steps use a temporary, the size of the temporary may be unknown.
            shape = [_evaluate(n, symbols) for n in temporary["shape"]] if i in used else [0]
            kind = {"i1": "uint8", "i8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64", "index": "int64",
                    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}[temporary["element"]]
            make = torch.zeros if temporary.get("cleared") else torch.empty
            temporaries.append(make(shape, dtype=getattr(torch, kind), device="cuda"))
        self._keep.append(temporaries)
        self.launches = []
        for step in steps:
            grid = [_evaluate(n, symbols) for n in step["grid"]]
            if 0 in grid:
                continue
            block = [_evaluate(n, symbols) for n in step["block"]]
            function = ctypes.c_void_p()
            _check(_DRIVER.cuModuleGetFunction(ctypes.byref(function), self._module, step["kernel"].encode()))
            words = []
            for operand in step["operands"]:
                words += self._words(operand, arguments, temporaries, symbols, plan)
            storage = [ctypes.c_uint64(word & (1 << 64) - 1) for word in words]
            pointers = (ctypes.c_void_p * len(storage))(*(ctypes.addressof(word) for word in storage))
            self._keep += [storage, pointers]
            shared = _evaluate(step["dynamic_shared_bytes"], symbols)
            if shared > _SHARED_WITHOUT_ASKING:
                _check(_DRIVER.cuFuncSetAttribute(function, _MAX_DYNAMIC_SHARED_SIZE_BYTES, shared))
            cluster = [_evaluate(n, symbols) for n in step.get("cluster") or []]
            if math.prod(cluster) > _PORTABLE:
                _check(_DRIVER.cuFuncSetAttribute(function, _NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1))
            attributes = (_Attribute * 1)(_Attribute(_CLUSTER_DIMENSION, b"", (*cluster,)))
            sizes = (ctypes.c_uint * 6)(*grid, *block)
            config = _Config(sizes, shared, None, attributes, 1 if cluster else 0)
            self._keep.append(attributes)
            self.launches.append((function, config, pointers))

    @staticmethod
    def _descriptor(tensor, offset=0, shape=None, strides=None):
        shape = list(tensor.shape) if shape is None else shape
        strides = list(tensor.stride()) if strides is None else strides
        return [tensor.data_ptr(), tensor.data_ptr(), offset, *shape, *strides]

    def _words(self, operand, arguments, temporaries, symbols, plan):
        match operand:
            case {"argument": i} if isinstance(arguments[i], torch.Tensor):
                return self._descriptor(arguments[i])
            case {"argument": i}:
                kind = plan["arguments"][i]["type"]
                bits = struct.pack(_BITS.get(kind, "q"), arguments[i])
                return [int.from_bytes(bits, "little")]
            case {"temporary": i}:
                return self._descriptor(temporaries[i])
            case {"view": view}:
                base = arguments[view["base"]["argument"]] if "argument" in view["base"] else temporaries[view["base"]["temporary"]]
                number = lambda n: _evaluate(n, symbols)
                return self._descriptor(base, number(view["offset"]), [*map(number, view["sizes"])], [*map(number, view["strides"])])
            case {"scalar": scalar}:
                return [_evaluate(scalar["value"], symbols)]
            case {"constant": constant}:
                return [int(str(constant["bits"]), 0)]
        raise ValueError(f"{operand} is no operand of a launch plan")

    def launch(self):
        """Launches all kernels on the current stream, in order."""
        stream = torch.cuda.current_stream().cuda_stream
        for function, config, pointers in self.launches:
            config.stream = stream
            _check(_DRIVER.cuLaunchKernelEx(ctypes.byref(config), function, pointers, None))

    def __del__(self):
        _DRIVER.cuModuleUnload(self._module)
