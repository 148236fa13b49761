//! Copies messages from MLIR's server to the editor.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value, json};

use tx_mlir::Code;

use crate::docs;

/// Copies messages until the end of the input. Text that is not a message, such as the output of
/// `--help`, is copied unchanged.
pub(crate) fn copy(from: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        match content_length(&line) {
            None => to.write_all(&line)?,
            Some(length) => message(from, to, length)?,
        }
        to.flush()?;
    }
}

fn content_length(line: &[u8]) -> Option<u64> {
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    name.eq_ignore_ascii_case("Content-Length")
        .then(|| value.trim().parse().ok())?
}

/// Copies a message whose header line is already read. The rest of the message is an empty line and
/// a body of `length` bytes.
fn message(from: &mut impl BufRead, to: &mut impl Write, length: u64) -> io::Result<()> {
    from.read_until(b'\n', &mut Vec::new())?;
    let mut body = Vec::new();
    from.take(length).read_to_end(&mut body)?;
    if let Some(changed) = changed(&body) {
        body = changed;
    }
    write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
    to.write_all(&body)
}

/// Returns the changed body of a message; `None` if the relay copies the message unchanged.
fn changed(body: &[u8]) -> Option<Vec<u8>> {
    let mut message: Value = serde_json::from_slice(body).ok()?;
    if message["method"] == "textDocument/publishDiagnostics" {
        let diagnostics = message.pointer_mut("/params/diagnostics")?.as_array_mut()?;
        let known = diagnostics.iter_mut().filter_map(add_code).count();
        return (known > 0).then(|| message.to_string().into_bytes());
    }
    let result = message.get_mut("result")?;
    if let Some(info) = result.get_mut("serverInfo") {
        *info = json!({"name": "tx-lsp-server", "version": env!("CARGO_PKG_VERSION")});
    } else {
        // Among the responses, only hovers contain `contents`.
        let shown = result.pointer_mut("/contents/value")?;
        *shown = documented(shown.as_str()?)?.into();
    }
    Some(message.to_string().into_bytes())
}

/// Moves the code of an LSP diagnostic from a note to the field `code`. MLIR's server sends the
/// diagnostic code in a note, because the server cannot set the field `code`.
fn add_code(diagnostic: &mut Value) -> Option<()> {
    let notes = diagnostic.get_mut("relatedInformation")?.as_array_mut()?;
    let code = |note: &Value| note["message"].as_str()?.parse::<Code>().ok();
    let found = notes.iter().position(|note| code(note).is_some())?;
    let code = code(&notes.remove(found))?;
    if notes.is_empty() {
        diagnostic.as_object_mut()?.remove("relatedInformation");
    }
    diagnostic["code"] = code.to_string().into();
    Some(())
}

/// Returns the text of a hover, followed by the documentation of the op. The hover of an op begins
/// with the op name in quotes. Returns `None` for hovers of values, blocks and regions.
fn documented(shown: &str) -> Option<String> {
    let name = shown.strip_prefix('"')?.split('"').next()?;
    let (head, rest) = shown.split_once("\n\n").unwrap_or((shown, ""));
    Some(format!("{head}\n\n{}\n\n{rest}", docs::of(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(input: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        copy(&mut io::BufReader::new(input), &mut output).unwrap();
        output
    }

    fn framed(body: &str) -> Vec<u8> {
        format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    }

    #[test]
    fn messages_without_anything_to_add_stay_to_the_byte() {
        let mut input = framed(r#"{"id" : 1, "result": [ ]}"#);
        input.extend(framed("{no json"));
        input.extend(framed(
            r#"{"result":{"contents":{"value":"Block: <Block #0>"}}}"#,
        ));
        input.extend(framed(r#"{"result":{"contents":{"value":"\"scf.for\""}}}"#));
        input.extend(framed(r#"{"result":{"contents":"\"tile.copy\""}}"#));
        let params = r#"{"diagnostics":[{"message":"expected ','"}]}"#;
        let body = format!(r#"{{"method":"textDocument/publishDiagnostics","params":{params}}}"#);
        input.extend(framed(&body));
        input.extend(framed(
            r#"{"method": "textDocument/publishDiagnostics","params":{}}"#,
        ));
        input.extend(framed(""));
        assert_eq!(copied(&input), input);
    }

    #[test]
    fn text_outside_messages_stays() {
        let input = b"OVERVIEW: a server\n\n--log: \xff\nContent-Length: many\nno end of line";
        assert_eq!(copied(input), input);
    }

    #[test]
    fn message_that_is_cut_off_ends_the_copy() {
        let output = copied(b"Content-Length: 100\r\n\r\n{\"id\":1");
        assert_eq!(output, framed(r#"{"id":1"#));
        assert_eq!(copied(b"Content-Length: 100"), framed(""));
    }

    #[test]
    fn hover_of_an_op_gets_its_documentation_below_its_name() {
        let shown = "\"tile.copy\"\n\nGeneric Form:\n\n```mlir\n\"tile.copy\"(%0, %1)\n```\n";
        let body = json!({"id": 1, "result": {"contents": {"kind": "markdown", "value": shown}}});
        let output = String::from_utf8(copied(&framed(&body.to_string()))).unwrap();
        let (header, body) = output.split_once("\r\n\r\n").unwrap();
        assert_eq!(header, format!("Content-Length: {}", body.len()));
        let message: Value = serde_json::from_str(body).unwrap();
        let value = message["result"]["contents"]["value"].as_str().unwrap();
        assert!(
            value.starts_with("\"tile.copy\"\n\n_Copy a tile of memory_\n"),
            "{value}"
        );
        assert!(
            value.ends_with("```mlir\n\"tile.copy\"(%0, %1)\n```\n"),
            "{value}"
        );
    }

    #[test]
    fn diagnostics_get_their_code() {
        let diagnostics = json!([
            {"message": "'tile.reduce' op axis 2 is out of range for rank 2", "severity": 1,
             "relatedInformation": [{"message": "axes are 0 to 1"}, {"message": "TX0001"}]},
            {"message": "'tile.reduce' op needs a source", "relatedInformation": [{"message": "TX0005"}]},
            {"message": "TX0001", "relatedInformation": [{"message": "a note"}]},
            {"no": "message"},
        ]);
        let params = json!({"diagnostics": &diagnostics});
        let body = json!({"method": "textDocument/publishDiagnostics", "params": params});
        let output = String::from_utf8(copied(&framed(&body.to_string()))).unwrap();
        let (_, body) = output.split_once("\r\n\r\n").unwrap();
        let message: Value = serde_json::from_str(body).unwrap();
        let said = &message["params"]["diagnostics"];
        assert_eq!(said[0]["code"], "TX0001");
        assert_eq!(said[0]["severity"], 1);
        assert_eq!(
            said[0]["relatedInformation"],
            json!([{"message": "axes are 0 to 1"}])
        );
        assert_eq!(
            said[1],
            json!({"message": "'tile.reduce' op needs a source", "code": "TX0005"})
        );
        assert_eq!((&said[2], &said[3]), (&diagnostics[2], &diagnostics[3]));
    }

    #[test]
    fn server_says_its_own_name() {
        let output = copied(&framed(
            r#"{"id":0,"result":{"capabilities":{},"serverInfo":{"name":"server","version":"0.0.0"}}}"#,
        ));
        let text = String::from_utf8(output).unwrap();
        assert!(text.contains(r#""name":"tx-lsp-server""#), "{text}");
    }
}
