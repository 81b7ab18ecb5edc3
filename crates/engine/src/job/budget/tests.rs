//! Good budgets, bad budgets and the words for them.

use super::*;

#[test]
fn budgets() {
    assert_eq!("512MiB".parse(), Ok(Budget::Bytes(ByteSize::mib(512))));
    assert_eq!("2GB".parse(), Ok(Budget::Bytes(ByteSize(2_000_000_000))));
    assert_eq!("50%".parse(), Ok(Budget::Percent(50.0)));
    assert_eq!("12.5%".parse(), Ok(Budget::Percent(12.5)));
    for bad in ["0%", "101%", "-1%", "NaN%", "%", "x%"] {
        let message = bad.parse::<Budget>().expect_err(bad).to_string();
        assert!(message.contains("share of the memory"), "{bad}: {message}");
    }
    assert!(
        "12 apples"
            .parse::<Budget>()
            .expect_err("no known unit")
            .to_string()
            .contains("write 512MiB")
    );
}
