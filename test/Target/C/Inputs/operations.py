"""Writes LLVM IR with each operation on each type, from memory to memory.

The function main_operations(in, out) reads numbers of any bits at `in`. NaNs become
one NaN, since C leaves the bits of others open.
"""

lines = []
functions = []
count = 0
out = 0
place = 0


def new(text):
    global count
    count += 1
    lines.append(f"  %t{count} = {text}")
    return f"%t{count}"


def cut():
    """Ends a function, since compilers take long for large ones."""
    global lines
    functions.append(lines)
    lines = []


BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "half": 16, "bfloat": 16, "float": 32, "double": 64}
NAN = {"half": "0xH7E00", "bfloat": "0xR7FC0", "float": "0x7FF8000000000000", "double": "0x7FF8000000000000"}


def vector(lane, n):
    return f"<{n} x {lane}>" if n else lane


def size(lane, n):
    return BITS[lane] // 8 * max(n, 1)


def load(lane, n):
    global place
    address = new(f"getelementptr i8, ptr %in, i64 {place}")
    place = (place + size(lane, n)) % 3584
    return new(f"load {vector(lane, n)}, ptr {address}, align 1")


def same(constant, lane, n):
    return "<" + ", ".join([f"{lane} {constant}"] * n) + ">" if n else str(constant)


def store(value, lane, n):
    global out
    if lane in NAN:
        nan = new(f"fcmp uno {vector(lane, n)} {value}, {value}")
        mask = vector("i1", n)
        value = new(f"select {mask} {nan}, {vector(lane, n)} {same(NAN[lane], lane, n)}, {vector(lane, n)} {value}")
    address = new(f"getelementptr i8, ptr %out, i64 {out}")
    lines.append(f"  store {vector(lane, n)} {value}, ptr {address}, align 1")
    out += size(lane, n)


def intrinsic(name, result, *operands):
    declarations.add(f"declare {result} @llvm.{name}({', '.join(t for t, _ in operands)})")
    return new(f"call {result} @llvm.{name}({', '.join(f'{t} {v}' for t, v in operands)})")


def suffix(lane, n):
    short = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}.get(lane, lane)
    return f"v{n}{short}" if n else short


declarations = set()
LANES = (0, 3, 8)
for n in LANES:
    for lane in ("i8", "i16", "i32", "i64"):
        cut()
        t = vector(lane, n)
        bits = BITS[lane]
        for op in ("add", "sub", "mul", "and", "or", "xor", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr"):
            a, b = load(lane, n), load(lane, n)
            if op in ("udiv", "urem", "sdiv", "srem"):
                b = new(f"or {t} {b}, {same(1, lane, n)}")
            if op in ("sdiv", "srem"):
                a = new(f"ashr {t} {a}, {same(1, lane, n)}")
            if op in ("shl", "lshr", "ashr"):
                b = new(f"and {t} {b}, {same(bits - 1, lane, n)}")
            store(new(f"{op} {t} {a}, {b}"), lane, n)
        for predicate in ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"):
            a, b, c = load(lane, n), load(lane, n), load(lane, n)
            less = new(f"icmp {predicate} {t} {a}, {b}")
            store(new(f"select {vector('i1', n)} {less}, {t} {c}, {t} {a}"), lane, n)
            # A mask of one width for numbers of another.
            d, e = load("i16", n), load("i16", n)
            store(new(f"select {vector('i1', n)} {less}, {vector('i16', n)} {d}, {vector('i16', n)} {e}"), "i16", n)
            store(new(f"zext {vector('i1', n)} {less} to {t}"), lane, n)
            store(new(f"sext {vector('i1', n)} {less} to {t}"), lane, n)
        for name in ("smin", "smax", "umin", "umax"):
            store(intrinsic(f"{name}.{suffix(lane, n)}", t, (t, load(lane, n)), (t, load(lane, n))), lane, n)
        for name in ("fshl", "fshr"):
            store(intrinsic(f"{name}.{suffix(lane, n)}", t, *[(t, load(lane, n)) for _ in range(3)]), lane, n)
        store(intrinsic(f"abs.{suffix(lane, n)}", t, (t, load(lane, n)), ("i1", "false")), lane, n)
        store(intrinsic(f"ctpop.{suffix(lane, n)}", t, (t, load(lane, n))), lane, n)
        for name in ("ctlz", "cttz"):
            store(intrinsic(f"{name}.{suffix(lane, n)}", t, (t, load(lane, n)), ("i1", "false")), lane, n)
        for other in ("i8", "i16", "i32", "i64"):
            if BITS[other] > bits:
                store(new(f"zext {t} {load(lane, n)} to {vector(other, n)}"), other, n)
                store(new(f"sext {t} {load(lane, n)} to {vector(other, n)}"), other, n)
            elif BITS[other] < bits:
                store(new(f"trunc {t} {load(lane, n)} to {vector(other, n)}"), other, n)
        for number in ("float", "double"):
            store(new(f"sitofp {t} {load(lane, n)} to {vector(number, n)}"), number, n)
            store(new(f"uitofp {t} {load(lane, n)} to {vector(number, n)}"), number, n)
        if n > 1:
            for name in ("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"):
                store(intrinsic(f"vector.reduce.{name}.{suffix(lane, n)}", lane, (t, load(lane, n))), lane, 0)
            store(new(f"extractelement {t} {load(lane, n)}, i64 {n - 1}"), lane, 0)
            store(new(f"insertelement {t} {load(lane, n)}, {lane} {load(lane, 0)}, i64 1"), lane, n)
            first, second = load(lane, n), load(lane, n)
            order = ", ".join(f"i32 {(3 * i + 1) % (2 * n)}" for i in range(n))
            store(new(f"shufflevector {t} {first}, {t} {second}, <{n} x i32> <{order}>"), lane, n)
            # A vector of equal lanes.
            one = new(f"insertelement {t} poison, {lane} {load(lane, 0)}, i64 0")
            store(new(f"shufflevector {t} {one}, {t} poison, <{n} x i32> zeroinitializer"), lane, n)
            # Lanes that are off are left alone, and read no memory.
            mask = new(f"icmp slt {t} {load(lane, n)}, {load(lane, n)}")
            at = new(f"getelementptr i8, ptr %in, i64 {8 * place // 16}")
            store(intrinsic(f"masked.load.{suffix(lane, n)}.p0", t, ("ptr align 1", at),
                            (vector("i1", n), mask), (t, load(lane, n))), lane, n)
            at = new(f"getelementptr i8, ptr %out, i64 {out}")
            lines.append(f"  store {t} {load(lane, n)}, ptr {at}, align 1")
            declarations.add(f"declare void @llvm.masked.store.{suffix(lane, n)}.p0({t}, ptr, {vector('i1', n)})")
            lines.append(f"  call void @llvm.masked.store.{suffix(lane, n)}.p0({t} {load(lane, n)}, ptr align 1 {at}, {vector('i1', n)} {mask})")
            out += size(lane, n)
            index = new(f"and <{n} x i32> {load('i32', n)}, {same(255, 'i32', n)}")
            wide = new(f"zext <{n} x i32> {index} to <{n} x i64>")
            addresses = new(f"getelementptr i64, ptr %in, <{n} x i64> {wide}")
            store(intrinsic(f"masked.gather.{suffix(lane, n)}.v{n}p0", t, (f"<{n} x ptr> align 1", addresses),
                            (vector("i1", n), mask), (t, load(lane, n))), lane, n)
            # Bools as the bits of an integer.
            if n in (8, 16):
                store(new(f"bitcast {vector('i1', n)} {mask} to i{n}"), f"i{n}", 0)
                bools = new(f"bitcast i{n} {load(f'i{n}', 0)} to {vector('i1', n)}")
                both = new(f"and {vector('i1', n)} {bools}, {mask}")
                either = new(f"xor {vector('i1', n)} {both}, {same('true', 'i1', n)}")
                store(new(f"sext {vector('i1', n)} {either} to {t}"), lane, n)
            store(new(f"bitcast {t} {load(lane, n)} to <{n * bits // 8} x i8>"), "i8", n * bits // 8)
    for lane in ("half", "bfloat", "float", "double"):
        cut()
        t = vector(lane, n)
        for op in ("fadd", "fsub", "fmul", "fdiv"):
            store(new(f"{op} {t} {load(lane, n)}, {load(lane, n)}"), lane, n)
        store(new(f"fneg {t} {load(lane, n)}"), lane, n)
        for predicate in ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"):
            a, b, c = load(lane, n), load(lane, n), load("i32", n)
            less = new(f"fcmp {predicate} {t} {a}, {b}")
            store(new(f"select {vector('i1', n)} {less}, {vector('i32', n)} {c}, {vector('i32', n)} {same(7, 'i32', n)}"), "i32", n)
        wide = ("float", "double")
        names = ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "round"]
        for name in names if lane in wide else ["fabs", "sqrt"]:
            store(intrinsic(f"{name}.{suffix(lane, n)}", t, (t, load(lane, n))), lane, n)
        if lane in wide:
            store(intrinsic(f"fma.{suffix(lane, n)}", t, *[(t, load(lane, n)) for _ in range(3)]), lane, n)
            store(intrinsic(f"copysign.{suffix(lane, n)}", t, (t, load(lane, n)), (t, load(lane, n))), lane, n)
            for name in ("minimum", "maximum"):
                store(intrinsic(f"{name}.{suffix(lane, n)}", t, (t, load(lane, n)), (t, load(lane, n))), lane, n)
            if n > 1:
                for name in ("fadd", "fmul"):
                    store(intrinsic(f"vector.reduce.{name}.{suffix(lane, n)}", lane, (lane, load(lane, 0)), (t, load(lane, n))), lane, 0)
            classes = intrinsic(f"is.fpclass.{suffix(lane, n)}", vector("i1", n), (t, load(lane, n)), ("i32", "677"))
            store(new(f"zext {vector('i1', n)} {classes} to {vector('i32', n)}"), "i32", n)
        for other in ("half", "bfloat", "float", "double"):
            if BITS[other] > BITS[lane]:
                store(new(f"fpext {t} {load(lane, n)} to {vector(other, n)}"), other, n)
            elif BITS[other] < BITS[lane]:
                store(new(f"fptrunc {t} {load(lane, n)} to {vector(other, n)}"), other, n)
        # Numbers that do not fit become zeros before.
        for to in ("i8", "i16", "i32", "i64"):
            value = load(lane, n)
            if lane not in wide:
                value = new(f"fpext {t} {value} to {vector('float', n)}")
            number = lane if lane in wide else "float"
            vt = vector(number, n)
            size_ = intrinsic(f"fabs.{suffix(number, n)}", vt, (vt, value))
            fits = new(f"fcmp olt {vt} {size_}, {same('1.0e+02', number, n)}")
            kept = new(f"select {vector('i1', n)} {fits}, {vt} {value}, {vt} zeroinitializer" if n else
                       f"select i1 {fits}, {vt} {value}, {vt} 0.0")
            store(new(f"fptosi {vt} {kept} to {vector(to, n)}"), to, n)
            positive = intrinsic(f"fabs.{suffix(number, n)}", vt, (vt, kept))
            store(new(f"fptoui {vt} {positive} to {vector(to, n)}"), to, n)
            # What does not fit may be computed, if it is not used.
            wild = new(f"fptosi {vt} {value} to {vector(to, n)}")
            store(new(f"select {vector('i1', n)} {fits}, {vector(to, n)} {wild}, {vector(to, n)} {same(0, to, n)}"), to, n)
        same_size = f"i{BITS[lane]}"
        store(new(f"bitcast {t} {load(lane, n)} to {vector(same_size, n)}"), same_size, n)
        bits_of = new(f"bitcast {vector(same_size, n)} {load(same_size, n)} to {t}")
        store(new(f"fmul {t} {bits_of}, {bits_of}"), lane, n)
        if n == 8:
            # Lanes that have no value are computed, and not used.
            lanes = [f"i32 {i}" for i in range(8)]
            some, more = ", ".join(lanes), ", ".join(lanes + ["i32 poison"] * 8)
            first = new(f"shufflevector {t} {load(lane, n)}, {t} poison, <16 x i32> <{more}>")
            second = new(f"shufflevector {t} {load(lane, n)}, {t} poison, <16 x i32> <{more}>")
            product = new(f"fmul <16 x {lane}> {first}, {second}")
            store(new(f"shufflevector <16 x {lane}> {product}, <16 x {lane}> poison, <8 x i32> <{some}>"), lane, n)
for lane, type_ in (("half", "i64"), ("bfloat", "i64"), ("half", "i32"), ("bfloat", "i32")):
    for op in ("sitofp", "uitofp"):
        if lane == "half" or type_ == "i32":
            store(new(f"{op} {type_} {load(type_, 0)} to {lane}"), lane, 0)
# Integers of more than 64 bits.
cut()
for w in (128, 256, 320):
    def wide():
        parts = [load("i64", 0) for _ in range(3)]
        value = new(f"zext i64 {parts[0]} to i{w}")
        for i in (1, 2):
            if 64 * i >= w:
                break
            part = new(f"sext i64 {parts[i]} to i{w}")
            part = new(f"shl i{w} {part}, {64 * i - 7}")
            value = new(f"xor i{w} {value}, {part}")
        return value

    for op in ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"):
        a, b = wide(), wide()
        if op in ("shl", "lshr", "ashr"):
            b = new(f"and i{w} {b}, 127")
        value = new(f"{op} i{w} {a}, {b}")
        for i in range(0, w, 64):
            store(new(f"trunc i{w} {new(f'lshr i{w} {value}, {i}')} to i64"), "i64", 0)
    for predicate in ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"):
        store(new(f"zext i1 {new(f'icmp {predicate} i{w} {wide()}, {wide()}')} to i8"), "i8", 0)
# Integers whose bits fill no bytes.
for bits in (1, 3, 12, 24, 33, 63):
    def odd():
        return new(f"trunc i64 {load('i64', 0)} to i{bits}")

    for op in ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "srem"):
        a, b = odd(), "0"
        if bits > 3 or op not in ("shl", "lshr", "ashr"):
            b = odd()
        if op in ("udiv", "srem"):
            b = new(f"or i{bits} {b}, 1")
        if op == "srem":
            a = new(f"lshr i{bits} {a}, {1 if bits > 1 else 0}")
        if op in ("shl", "lshr", "ashr"):
            b = new(f"urem i{bits} {b}, {bits}") if bits > 3 else b
        value = new(f"{op} i{bits} {a}, {b}")
        store(new(f"zext i{bits} {value} to i64"), "i64", 0)
        store(new(f"sext i{bits} {value} to i64"), "i64", 0)
    for predicate in ("slt", "ugt", "sge"):
        store(new(f"zext i1 {new(f'icmp {predicate} i{bits} {odd()}, {odd()}')} to i8"), "i8", 0)
    store(new(f"sitofp i{bits} {odd()} to double"), "double", 0)
# Shifts by too much may be computed, if they are not used.
amount = load("i32", 0)
few = new(f"icmp ult i32 {amount}, 32")
shifted = new(f"shl i32 {load('i32', 0)}, {amount}")
store(new(f"select i1 {few}, i32 {shifted}, i32 0"), "i32", 0)

print("target datalayout = \"e-m:e-i64:64-i128:128-n8:16:32:64-S128\"")
print(f"; {out} bytes")
print("@size = internal constant [1 x i64] [i64 %d], align 8" % out)
cut()
for number, body in enumerate(functions):
    print(f"define internal void @part.{number}(ptr %in, ptr %out) noinline {{")
    print("\n".join(body))
    print("  ret void\n}")
print("define i32 @main_operations(ptr %in, ptr %out) {")
for number in range(len(functions)):
    print(f"  call void @part.{number}(ptr %in, ptr %out)")
print("  ret i32 0\n}")
print("define i32 @main_size(ptr %p) {\n  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @size, i64 8, i1 false)\n  ret i32 0\n}")
declarations.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
print("\n".join(sorted(declarations)))
