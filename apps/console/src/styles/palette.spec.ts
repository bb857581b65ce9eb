import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Text is readable: every text colour on every surface that it is on, in both lights. */
const css = readFileSync(fileURLToPath(new URL('./palette.css', import.meta.url)), 'utf8');

type Colour = [number, number, number, number];

function coloursOf(selector: string): Map<string, Colour> {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}', 1)[0]!;
  const found = [...block.matchAll(/(--[\w-]+):\s*#([0-9a-f]{3,8});/g)];
  return new Map(found.map(([, name, hex]) => [name!, parse(hex!)]));
}

function parse(hex: string): Colour {
  const long = hex.length < 6 ? [...hex].map((digit) => digit + digit).join('') : hex;
  const [r = 0, g = 0, b = 0, a = 255] = long.match(/../g)!.map((pair) => Number.parseInt(pair, 16));
  return [r, g, b, a / 255];
}

const over = ([r, g, b, a]: Colour, [R, G, B]: Colour): Colour => [
  ...([r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)] as const),
  1,
];

/** As WCAG 2 defines it. */
function luminance([r, g, b]: Colour): number {
  const linear = [r, g, b].map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
}

function contrast(a: Colour, b: Colour): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Text, its background, and what is behind that where it is translucent. */
const pairs = [
  ...['--text', '--quiet', '--accent', '--up', '--down', '--warn'].flatMap((text) =>
    ['--ground', '--surface', '--raised'].map((ground) => [text, ground, '--surface'] as const),
  ),
  ...['--surface', '--ground'].flatMap((under) => [
    ['--up', '--up-ground', under] as const,
    ['--down', '--down-ground', under] as const,
    ['--warn', '--warn-ground', under] as const,
    ['--quiet', '--warn-ground', under] as const,
  ]),
  ['--accent', '--accent-ground', '--surface'] as const,
  ['--accent-text', '--accent', '--surface'] as const,
];

describe.each([
  ['dark', ':root'],
  ['light', ':root[data-theme="light"]'],
])('the %s palette', (_name, selector) => {
  const colours = coloursOf(selector);

  it.each(pairs)('%s on %s over %s', (text, ground, under) => {
    const surface = over(colours.get(ground)!, colours.get(under)!);
    expect(contrast(colours.get(text)!, surface)).toBeGreaterThanOrEqual(4.5);
  });
});

describe('contrast', () => {
  it('is what the standard says', () => {
    expect(contrast([0, 0, 0, 1], [255, 255, 255, 1])).toBeCloseTo(21);
    expect(contrast(parse('777'), parse('ffffff'))).toBeCloseTo(4.48, 1);
    expect(over(parse('ffffff80'), [0, 0, 0, 1])[0]).toBeCloseTo(128);
  });
});
