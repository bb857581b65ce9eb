import { EncodedFrames, eventText, parseEventId } from './encoded-frames.js';

const frame = { type: 'trades', epoch: '1.2.ab:cd', seq: 7, text: '{"type":"trades","data":["ü\\n"]}' };

it('writes a frame as an event; only one with a place has an id', () => {
  expect(eventText(frame)).toBe(`event: trades\nid: 1.2.ab:cd:7\ndata: ${frame.text}\n\n`);
  expect(eventText({ type: 'pong', epoch: null, seq: null, text: '{}' })).toBe('event: pong\ndata: {}\n\n');
});

it('reads back the ids it writes, and nothing else', () => {
  expect(parseEventId('1.2.ab:cd:7')).toEqual({ epoch: '1.2.ab:cd', seq: 7 });
  for (const text of ['', ':', ':7', 'a', 'a:', 'a:-1', 'a:1.5', 'a:0x1', 'a: 1', 'a:1e3', `${'a'.repeat(201)}:1`]) {
    expect([text, parseEventId(text)]).toEqual([text, null]);
  }
  expect(parseEventId(`a:${'9'.repeat(16)}`)).toBe(null);
});

it('encodes a frame once for everybody', () => {
  let encodings = 0;
  const frames = new EncodedFrames(({ text }) => {
    encodings++;
    return text;
  });
  const bytes = frames.bytes(frame);
  expect(bytes.toString('utf8')).toBe(frame.text);
  expect(frames.bytes(frame)).toBe(bytes);
  expect(frames.bytes({ ...frame })).not.toBe(bytes);
  expect(encodings).toBe(2);
});
