import { NO_DOCUMENT, readDocument } from './metadata-document.js';

const X = 'https://x.com/tidepool';

it('reads the forms of Metaplex, ERC-7572 and the launchpads', () => {
  const whole = {
    ...{ image: 'ipfs://x', description: 'A pool', twitter: X, telegram: 'https://t.me/pool' },
    ...{ website: 'https://example.com/', discord: 'https://discord.gg/x' },
  };
  const links = { twitter: X, telegram: 'https://t.me/pool', discord: 'https://discord.gg/x' };
  const forms: object[] = [
    whole,
    { image: 'ipfs://x', description: ' A\npool ', external_url: 'https://example.com', extensions: links },
    { image_url: 'ipfs://x', description: 'A pool', home_page: 'https://example.com', links },
    {
      ...{ imageUrl: 'ipfs://x', description: 'A pool', website: 'https://example.com' },
      socialMediaUrls: Object.entries(links).map(([platform, url]) => ({ platform, url })),
    },
    {
      logo: 'ipfs://x',
      description: 'A pool',
      website: 'https://example.com',
      ...links,
      twitter: '@tidepool',
      telegram: 'pool',
    },
  ];
  for (const form of forms) expect(readDocument(JSON.stringify(form))).toEqual(whole);
});

it('shows no link that a page must not lead to, and passes over parts of another form', () => {
  const hostile = [
    ...[
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,<script>',
      'http://example.com',
      'ftp://example.com',
    ],
    ...['https://localhost/', 'https://127.0.0.1/', 'https://10.1/', 'https://[::1]/', 'https://a:b@example.com/'],
    ...['https://example.com:8443/', `https://example.com/${'a'.repeat(600)}`, '//example.com', 'example', 'https://'],
    ...['https://exa mple.com/', 'https://example.com/\u0000', 'vbscript:x', 'blob:https://example.com/x', ''],
  ];
  for (const website of hostile)
    expect({ link: website, ...readDocument(JSON.stringify({ website })) }).toEqual({ link: website, ...NO_DOCUMENT });
  for (const odd of [
    { image: 7, description: ['x'], twitter: { x: 1 }, links: 'x', socialMediaUrls: [null, 7, { platform: 1 }] },
    {},
  ]) {
    expect(readDocument(JSON.stringify(odd))).toEqual(NO_DOCUMENT);
  }
  for (const text of ['', 'x', '[]', 'null', '7', '"x"', '{', '['.repeat(50_000)])
    expect(readDocument(text)).toBeNull();
});

it('cleans and cuts a description', () => {
  const read = (description: string) => readDocument(JSON.stringify({ description }))!.description;
  expect(read('a\u202eb\u200bc\u0007d')).toBe('abcd');
  expect(Array.from(read('😀'.repeat(5_000))!).length).toBe(1_000);
  expect(read(' \n\t ')).toBeNull();
});
