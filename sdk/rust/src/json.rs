//! A JSON reader: whole values, bounded depth, nothing that is not JSON. Writing is left to the few lines that need it.

#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

const MAX_DEPTH: usize = 256;

impl Json {
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.space();
        (reader.at == reader.text.len()).then_some(value)
    }

    /// A member of an object; the last of that name, as elsewhere.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Json::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// A text as JSON.
pub fn quoted(text: &str) -> String {
    let mut said = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => said.extend(['\\', character]),
            control if control < ' ' => said.push_str(&format!("\\u{:04x}", control as u32)),
            other => said.push(other),
        }
    }
    said + "\""
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The next byte that is no space, without taking it.
    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.text.get(self.at).copied()
    }

    fn take(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then(|| self.at += 1)
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        self.text[self.at..].starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            value
        })
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'"' => self.string().map(Json::Text),
            b'[' => self.list(depth),
            b'{' => self.object(depth),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Json> {
        self.take(b'[')?;
        let mut items = Vec::new();
        if self.take(b']').is_some() {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b']').is_some() {
                return Some(Json::List(items));
            }
            self.take(b',')?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        self.take(b'{')?;
        let mut members = Vec::new();
        if self.take(b'}').is_some() {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.take(b':')?;
            members.push((name, self.value(depth + 1)?));
            if self.take(b'}').is_some() {
                return Some(Json::Object(members));
            }
            self.take(b',')?;
        }
    }

    fn number(&mut self) -> Option<Json> {
        let from = self.at;
        while matches!(self.text.get(self.at), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.text[from..self.at]).ok()?;
        // Rust reads more forms than JSON has.
        let digits = text.strip_prefix('-').unwrap_or(text);
        let zero_first = digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit());
        if zero_first || !digits.starts_with(|c: char| c.is_ascii_digit()) || text.ends_with('.') || text.contains(".e") || text.contains(".E") {
            return None;
        }
        text.parse().ok().filter(|number: &f64| number.is_finite()).map(Json::Number)
    }

    fn string(&mut self) -> Option<String> {
        if self.text.get(self.at) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        let mut out: Vec<u8> = Vec::new();
        loop {
            let byte = *self.text.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(out).ok(),
                b'\\' => {
                    let character = self.escape()?;
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                0..=0x1f => return None,
                _ => out.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let kind = *self.text.get(self.at)?;
        self.at += 1;
        Some(match kind {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => kind as char,
            b'u' => self.unicode()?,
            _ => return None,
        })
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).or(Some('\u{fffd}'));
        }
        if !self.text[self.at..].starts_with(b"\\u") {
            return Some('\u{fffd}');
        }
        self.at += 2;
        let second = self.hex4()?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00)).or(Some('\u{fffd}'))
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = std::str::from_utf8(self.text.get(self.at..self.at + 4)?).ok()?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
