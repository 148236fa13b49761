//! Tests of the language server: the tests send the messages of an editor.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Maximum time until the server responds. If the server needs more time, the test assumes that the
/// server hangs.
const PATIENCE: Duration = Duration::from_secs(120);

const URI: &str = "file:///rows.mlir";

const GOOD: &str = "\
#shared = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      workgroup(%As: memref<4x8xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
    tile.reduce sum %As into %B axes [-1] scope(cta)
        : memref<4x8xf32, #shared> into memref<4xf32>
    gpu.return
  }
}
";

/// Server process, and the messages received from it.
struct Server {
    process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    last_id: u64,
}

impl Server {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tx-lsp-server"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = process.stdin.take();
        Self {
            process,
            input,
            messages,
            last_id: 0,
        }
    }

    /// Starts a server, and completes the handshake of an editor.
    fn initialized() -> Self {
        let mut server = Self::start();
        let capabilities = json!({"textDocument": {
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "publishDiagnostics": {"relatedInformation": true},
        }});
        let answer = server.ask(
            "initialize",
            &json!({"processId": null, "rootUri": null, "capabilities": capabilities}),
        );
        assert_eq!(answer["serverInfo"]["name"], "tx-lsp-server");
        let offers = &answer["capabilities"];
        for feature in [
            "hoverProvider",
            "definitionProvider",
            "referencesProvider",
            "documentSymbolProvider",
            "completionProvider",
        ] {
            assert!(
                offers[feature] == true || offers[feature].is_object(),
                "{feature}: {offers}"
            );
        }
        server.tell("initialized", &json!({}));
        server
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("still open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn send_body(&mut self, body: &[u8]) {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        self.send_bytes(body);
    }

    fn tell(&mut self, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send_body(message.to_string().as_bytes());
    }

    fn answer(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send_body(message.to_string().as_bytes());
        self.wait_for(|message| message["id"] == id)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let mut answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    fn wait_for(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            match self.messages.recv_timeout(PATIENCE) {
                Ok(message) if wanted(&message) => return message,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => panic!("the server says nothing"),
                Err(RecvTimeoutError::Disconnected) => panic!("the server ended"),
            }
        }
    }

    /// Opens a document, and returns its diagnostics.
    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        self.tell(
            "textDocument/didOpen",
            &json!({"textDocument": {"uri": uri, "languageId": "mlir", "version": 1, "text": text}}),
        );
        self.diagnostics(uri, 1)
    }

    fn diagnostics(&self, uri: &str, version: u64) -> Vec<Value> {
        let message = self.wait_for(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        message["params"]["diagnostics"]
            .as_array()
            .expect("a list")
            .clone()
    }

    fn stop(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null), Value::Null);
        self.tell("exit", &Value::Null);
        assert_eq!(self.ended().code(), Some(0));
    }

    fn ended(mut self) -> ExitStatus {
        drop(self.input.take());
        let (sender, ended) = channel();
        let pid = self.process.id();
        thread::spawn(move || sender.send(self.process.wait()));
        ended
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("the server (process {pid}) does not end"))
            .expect("it can be waited for")
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = Some(value.parse().expect("a number"));
        }
    }
    let mut body = vec![0; length.expect("every message says its length")];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("every message is JSON"))
}

/// Returns the position `after` bytes after the start of `what` in a text.
fn place(text: &str, what: &str, after: usize) -> Value {
    let at = text.find(what).expect("it is there") + after;
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    json!({"line": before.matches('\n').count(), "character": at - start})
}

fn at(text: &str, what: &str, after: usize) -> Value {
    json!({"textDocument": {"uri": URI}, "position": place(text, what, after)})
}

#[test]
fn good_program_can_be_read_about() {
    let mut server = Server::initialized();
    assert_eq!(server.open(URI, GOOD), [Value::Null; 0]);

    let hover = server.ask("textDocument/hover", &at(GOOD, "tile.reduce", 6));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert_eq!(hover["contents"]["kind"], "markdown");
    assert!(
        text.starts_with("\"tile.reduce\"\n\n_Reduce a tile"),
        "{text}"
    );
    assert!(
        text.contains("tile.reduce sum %A into %B axes [1]"),
        "{text}"
    );
    assert!(text.contains("Generic Form:"), "{text}");
    assert!(
        text.contains("scope = #tile<scope cta>") || text.contains("scope ="),
        "{text}"
    );
    assert_eq!(hover["range"]["start"], place(GOOD, "tile.reduce", 0));

    // The relay does not change hovers of MLIR's ops and of values.
    let hover = server.ask("textDocument/hover", &at(GOOD, "gpu.return", 1));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(
        text.starts_with("\"gpu.return\"\n\nGeneric Form:"),
        "{text}"
    );
    let hover = server.ask("textDocument/hover", &at(GOOD, "%As into", 1));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(
        text.contains("memref<4x8xf32, #gpu.address_space<workgroup>>"),
        "{text}"
    );
    assert_eq!(
        server.ask("textDocument/hover", &at(GOOD, "kernel attributes", 0)),
        Value::Null
    );

    let definition = server.ask("textDocument/definition", &at(GOOD, "%B axes", 1));
    assert_eq!(definition[0]["uri"], URI);
    assert_eq!(definition[0]["range"]["start"], place(GOOD, "%B: ", 0));
    assert_eq!(definition.as_array().unwrap().len(), 1);

    let mut about = at(GOOD, "%B axes", 1);
    about["context"] = json!({"includeDeclaration": true});
    let references = server.ask("textDocument/references", &about);
    let starts: Vec<&Value> = references
        .as_array()
        .unwrap()
        .iter()
        .map(|each| &each["range"]["start"])
        .collect();
    assert_eq!(
        starts,
        [&place(GOOD, "%B: ", 0), &place(GOOD, "%B axes", 0)]
    );

    let symbols = server.ask(
        "textDocument/documentSymbol",
        &json!({"textDocument": {"uri": URI}}),
    );
    assert_eq!(symbols[0]["name"], "kernels");
    assert_eq!(symbols[0]["children"][0]["name"], "rows");

    let completion = server.ask("textDocument/completion", &at(GOOD, "%As into", 1));
    let labels: Vec<&str> = completion["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect();
    assert!(
        labels.contains(&"%A") && labels.contains(&"%B"),
        "{labels:?}"
    );
    let completion = server.ask("textDocument/completion", &at(GOOD, "gpu.return", 0));
    let ops = completion.to_string();
    assert!(
        ops.contains("\"tile.reduce\"") || ops.contains("\"tile\""),
        "{ops}"
    );
    server.stop();
}

#[test]
fn wrong_programs_are_marked_where_they_are_wrong() {
    // Each entry contains a text of the document, its replacement, the position of the expected
    // diagnostic, and its message.
    let cases = [
        // Verifiers of the tile dialect.
        (
            "axes [-1]",
            "axes [2]",
            "tile.reduce",
            "axis 2 is out of range for rank 2",
            json!("TX0001"),
        ),
        // Parser of the tile dialect.
        (
            "reduce sum",
            "reduce sun",
            "sun",
            "unknown kind `sun`",
            json!("TX0034"),
        ),
        // Parser of MLIR.
        (
            "%B axes",
            "%C axes",
            "%C",
            "use of undeclared SSA value name",
            Value::Null,
        ),
        // Verifiers of MLIR.
        (
            "    gpu.return\n",
            "    gpu.return %A : memref<4x8xf32>\n",
            "gpu.return",
            "expected",
            Value::Null,
        ),
    ];
    let mut server = Server::initialized();
    for (number, (right, wrong, marked, message, code)) in cases.into_iter().enumerate() {
        let uri = format!("file:///wrong{number}.mlir");
        let text = GOOD.replacen(right, wrong, 1);
        let diagnostics = server.open(&uri, &text);
        assert_eq!(diagnostics.len(), 1, "{wrong}: {diagnostics:?}");
        let said = &diagnostics[0];
        assert_eq!(said["severity"], 1, "{said}");
        assert_eq!(said["code"], code, "{said}");
        assert!(
            said["message"].as_str().unwrap().contains(message),
            "{said}"
        );
        assert_eq!(said["range"]["start"], place(&text, marked, 0), "{said}");

        // The document becomes valid again.
        let whole = json!([{"text": GOOD}]);
        server.tell(
            "textDocument/didChange",
            &json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": whole}),
        );
        assert_eq!(server.diagnostics(&uri, 2), [Value::Null; 0], "{wrong}");
        server.tell(
            "textDocument/didClose",
            &json!({"textDocument": {"uri": uri}}),
        );
    }
    server.stop();
}

#[test]
fn notes_come_with_their_error() {
    let mut server = Server::initialized();
    let text = GOOD.replace("sum %As into", "sum %As, %As into").replace(
        ": memref<4x8xf32, #shared> into",
        ": memref<4x8xf32, #shared>, memref<4x8xf32, #shared> into",
    );
    let diagnostics = server.open(URI, &text);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    let message = diagnostics[0]["message"].as_str().unwrap();
    assert!(
        message.contains("`sum` takes one source, found 2"),
        "{message}"
    );
    let notes = diagnostics[0]["relatedInformation"].as_array().unwrap();
    assert!(
        notes
            .iter()
            .any(|note| note["message"] == "use `custom` to combine several values"),
        "{notes:?}"
    );
    server.stop();
}

#[test]
fn odd_input_does_not_stop_it() {
    let mut server = Server::initialized();
    // The bodies are not JSON, not UTF-8, or meaningless requests.
    for body in [
        &b"{no json"[..],
        b"{\"jsonrpc\": \"2.0\", \"method\": \"\xff\xfe\"}",
    ] {
        server.send_body(body);
    }
    let answer = server.answer("textDocument/paint", &json!({}));
    assert!(answer["error"]["message"].is_string(), "{answer}");
    let answer = server.answer("textDocument/hover", &json!([]));
    assert!(answer["error"]["message"].is_string(), "{answer}");
    // The document was never opened, or the position is outside of an opened document.
    assert_eq!(
        server.ask("textDocument/hover", &at(GOOD, "tile", 0)),
        Value::Null
    );
    assert_eq!(server.open(URI, GOOD), [Value::Null; 0]);
    for (line, character) in [(1000, 0), (3, 100_000), (i32::MAX, i32::MAX)] {
        let hover = server.answer(
            "textDocument/hover",
            &json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}),
        );
        assert!(hover["result"].is_null(), "{hover}");
    }
    // The texts are not programs.
    for (number, text) in [
        "\0\0\0",
        "\r\r\r",
        "// ¿é\u{10348}?\n\"tile.reduce\"(%é) : ",
        "\u{feff}module {}",
        "#l = #tile.layout<[<0 : 1 reg>]>",
        "tile.reduce custom",
    ]
    .into_iter()
    .enumerate()
    {
        server.open(&format!("file:///odd{number}.mlir"), text);
    }
    assert_eq!(server.open("file:///empty.mlir", ""), [Value::Null; 0]);
    // The server still works after these messages.
    let hover = server.ask("textDocument/hover", &at(GOOD, "tile.copy", 1));
    assert!(
        hover.to_string().contains("_Copy a tile of memory_"),
        "{hover}"
    );
    server.stop();
}

#[test]
fn streams_that_end_early_end_it() {
    assert_eq!(Server::start().ended().code(), Some(1));
    for bytes in [
        &b"Content-Length: 500\r\n\r\n{"[..],
        b"Content-Length: 99999999999999999999\r\n\r\n{",
        b"Content-Length: 500",
        b"\xff\xfe\x00",
        b"\r\n\r\n\r\n",
    ] {
        let mut server = Server::start();
        server.send_bytes(bytes);
        assert_eq!(server.ended().code(), Some(1), "{bytes:?}");
    }
}

#[test]
fn peers_that_do_not_speak_the_protocol_end_it() {
    for body in ["[1, 2]", "7", "{\"jsonrpc\": \"2.0\"}"] {
        let mut server = Server::initialized();
        server.send_body(body.as_bytes());
        assert_eq!(server.ended().code(), Some(1), "{body}");
    }
}

#[test]
fn editor_that_goes_away_ends_it() {
    let mut server = Server::initialized();
    server.open(URI, GOOD);
    // Without a `shutdown` request, the exit status is 1.
    assert_eq!(server.ended().code(), Some(1));
}

#[test]
fn help_is_printed_and_unknown_flags_are_refused() {
    let run = |flag: &str| {
        Command::new(env!("CARGO_BIN_EXE_tx-lsp-server"))
            .arg(flag)
            .stdin(Stdio::null())
            .output()
            .expect("it runs")
    };
    let help = run("--help");
    assert!(help.status.success(), "{help:?}");
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(
        text.starts_with("OVERVIEW: MLIR LSP Language Server"),
        "{text}"
    );
    assert!(text.contains("--log"), "{text}");
    let unknown = run("--no-such-flag");
    assert_eq!(unknown.status.code(), Some(1), "{unknown:?}");
}
