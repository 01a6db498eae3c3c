// Takes the program's archive apart. Python's own way looks at each file for what a hostile one would do, and is slow.
export function unpack(python, packed, folder) {
  const whole = python.runPython("import lzma\nlambda packed: lzma.decompress(packed.to_bytes())")(packed);
  const view = whole.getBuffer(), bytes = view.data, text = new TextDecoder();
  const field = (start, size) => text.decode(bytes.subarray(start, start + size)).replace(/\0.*$/s, "");
  for (let at = 0; bytes[at];) {
    const path = `${folder}/${field(at + 345, 155) && `${field(at + 345, 155)}/`}${field(at, 100)}`;
    const size = parseInt(field(at + 124, 12), 8);
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    python.FS.writeFile(path, bytes.slice(at + 512, at + 512 + size), { canOwn: true });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  view.release();
  whole.destroy();
}
