//! Columns found, and what is said where there is none.

use super::*;

fn columns(names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| name.as_bytes().to_vec()).collect()
}

#[test]
fn names_are_found_as_they_are_written() {
    let names = columns(&["id", "Amount", "amount", ""]);
    assert_eq!(find("amount", &names), Ok(2));
    assert_eq!(find("Amount", &names), Ok(1));
    assert_eq!(find("", &names), Ok(3));
    assert_eq!(name(1, &names), Ok("Amount".to_owned()));
}

#[test]
fn messages_say_which_columns_there_are() {
    let names = columns(&["id", "amount", "date", "id"]);
    assert_eq!(
        find("id", &names).unwrap_err(),
        "columns 1 and 4 are both called 'id'; name the one you mean by its number".into()
    );
    assert_eq!(
        find("amuont", &names).unwrap_err(),
        "no column is called 'amuont' (did you mean 'amount'?); the columns are 'id', 'amount', \
         'date', 'id'"
            .into()
    );
    assert_eq!(
        find("price", &names).unwrap_err(),
        "no column is called 'price'; the columns are 'id', 'amount', 'date', 'id'".into()
    );
    assert_eq!(
        name(4, &names).unwrap_err(),
        "there is no column 5; the 4 columns are 'id', 'amount', 'date', 'id'".into()
    );
    let many: Vec<String> = (0..12).map(|number| format!("c{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(find("x", &columns(&many)).unwrap_err().to_string().ends_with("'c9' and 2 more"));
    assert!(find("AMOUNT", &names).unwrap_err().to_string().contains("did you mean 'amount'?"));
}

#[test]
fn a_name_of_several_words_is_explained() {
    let names = columns(&["city", "amount", "unit price"]);
    let said = |name| find(name, &names).unwrap_err().to_string();
    assert!(said("city,amount").ends_with("'unit price'; name one column at a time"));
    assert!(said("city, amount").ends_with("; name one column at a time"));
    assert!(said("unit price DESC").ends_with("; write a direction as in unit price:desc"));
    assert!(said("city ascending").ends_with("; write a direction as in city:asc"));
    for name in ["city,price", "price desc", "city down", ","] {
        assert!(said(name).ends_with("'unit price'"), "{}", said(name));
    }
}

#[test]
fn a_header_with_another_separator_is_named() {
    for (header, advice) in [
        ("id;name", "the header holds ';': give separator ';'"),
        ("id\tname", "the header holds tabs: give separator tab"),
        ("id|name", "the header holds '|': give separator '|'"),
    ] {
        let names = columns(&[header]);
        let said = find("name", &names).unwrap_err().to_string();
        assert!(said.ends_with(advice), "{said}");
        let said = name(1, &names).unwrap_err().to_string();
        assert!(said.ends_with(advice), "{said}");
    }
    let said = find("price", &columns(&["id;a", "name"])).unwrap_err().to_string();
    assert!(!said.contains("separator"), "it was cut at the right one: {said}");
}

#[test]
fn keys_of_gnu_sort_are_explained() {
    let said = find("2,2n", &columns(&["id", "name"])).unwrap_err().to_string();
    assert!(said.ends_with("write 2:decimal"), "{said}");
}
