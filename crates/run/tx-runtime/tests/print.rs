//! Tests that the text of an array equals the text that numpy 2.3 prints. The expected texts are
//! outputs of `print(numpy.array(…))`.

use tx_runtime::{Array, HostElement};

fn check<T: HostElement>(shape: &[usize], values: &[T], expected: &str) {
    let array = Array::from_slice(shape, values).expect("the values fill the shape");
    assert_eq!(array.to_string(), expected);
}

#[test]
fn short_floats() {
    check(&[4], &[1_f32, 2.5, -3.25, 0.1], "[ 1.    2.5  -3.25  0.1 ]");
}

#[test]
fn eight_digits_at_most_no_more_than_needed() {
    check(
        &[3],
        &[1_f32 / 3., 2. / 3., 1.],
        "[0.33333334 0.6666667  1.        ]",
    );
}

#[test]
fn exponents_for_a_wide_range() {
    check(
        &[4],
        &[1e-5_f32, 1., 123_456.79, -0.],
        "[ 9.9999997e-06  1.0000000e+00  1.2345679e+05 -0.0000000e+00]",
    );
}

#[test]
fn exponents_from_a_million_on() {
    check(&[2], &[1234567_f32, 1.], "[1.234567e+06 1.000000e+00]");
}

#[test]
fn nan_and_infinities() {
    check(
        &[4],
        &[f32::NAN, 1., f32::INFINITY, f32::NEG_INFINITY],
        "[ nan   1.  inf -inf]",
    );
}

#[test]
fn nothing_finite() {
    check(&[2], &[f32::NAN, f32::INFINITY], "[nan inf]");
}

#[test]
fn an_empty_array() {
    check(&[0, 4], &[0_f32; 0], "[]");
}

#[test]
fn rank_0() {
    check(&[], &[1.5_f32], "1.5");
}

#[test]
fn rank_0_whole() {
    check(&[], &[2_f32], "2.0");
}

#[test]
fn rank_0_large() {
    check(&[], &[1e20_f32], "1e+20");
}

#[test]
fn rows() {
    check(
        &[2, 3],
        &[0_f32, 1., 2., 3., 4., 5.5],
        r"[[0.  1.  2. ]
 [3.  4.  5.5]]",
    );
}

#[test]
fn doubles() {
    check(
        &[3],
        &[0.1_f64, 1e-3, 2. / 3.],
        "[0.1        0.001      0.66666667]",
    );
}

#[test]
fn integers() {
    check(
        &[2, 3],
        &[1_i32, -20, 300, 4, 5, 6],
        r"[[  1 -20 300]
 [  4   5   6]]",
    );
}

#[test]
fn bytes() {
    check(&[3], &[1_i8, -128, 127], "[   1 -128  127]");
}

#[test]
fn truth() {
    check(&[2], &[true, false], "[ True False]");
}

#[test]
fn lines_break_at_seventy_five_columns() {
    check(
        &[40],
        &std::array::from_fn::<i64, 40, _>(|i| i as i64 * 1000),
        r"[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000
 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000
 24000 25000 26000 27000 28000 29000 30000 31000 32000 33000 34000 35000
 36000 37000 38000 39000]",
    );
}

#[test]
fn more_are_shortened() {
    check(
        &[1001],
        &std::array::from_fn::<f32, 1001, _>(|i| i as f32),
        "[   0.    1.    2. ...  998.  999. 1000.]",
    );
}

#[test]
fn shortened_in_every_dimension() {
    check(
        &[3, 20, 20],
        &std::array::from_fn::<i16, 1200, _>(|i| i as i16),
        r"[[[   0    1    2 ...   17   18   19]
  [  20   21   22 ...   37   38   39]
  [  40   41   42 ...   57   58   59]
  ...
  [ 340  341  342 ...  357  358  359]
  [ 360  361  362 ...  377  378  379]
  [ 380  381  382 ...  397  398  399]]

 [[ 400  401  402 ...  417  418  419]
  [ 420  421  422 ...  437  438  439]
  [ 440  441  442 ...  457  458  459]
  ...
  [ 740  741  742 ...  757  758  759]
  [ 760  761  762 ...  777  778  779]
  [ 780  781  782 ...  797  798  799]]

 [[ 800  801  802 ...  817  818  819]
  [ 820  821  822 ...  837  838  839]
  [ 840  841  842 ...  857  858  859]
  ...
  [1140 1141 1142 ... 1157 1158 1159]
  [1160 1161 1162 ... 1177 1178 1179]
  [1180 1181 1182 ... 1197 1198 1199]]]",
    );
}

#[test]
fn a_blank_line_between_matrices() {
    check(
        &[2, 2, 2],
        &std::array::from_fn::<f32, 8, _>(|i| i as f32 / 4.),
        r"[[[0.   0.25]
  [0.5  0.75]]

 [[1.   1.25]
  [1.5  1.75]]]",
    );
}

#[test]
fn halves() {
    check(
        &[3],
        &[
            half::f16::from_f32(0.1),
            half::f16::from_f32(-2.),
            half::f16::from_f32(512.),
        ],
        "[ 1.00e-01 -2.00e+00  5.12e+02]",
    );
}
