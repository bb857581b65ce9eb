import type { RefusalReason } from '#libs/platform/outbound/outbound-refusal.js';

/** URLs that no stranger may make us open, by the reason for which they are refused. */
export const hostileUrls: readonly [RefusalReason, readonly string[]][] = [
  [
    'address',
    [
      // Loopback in every spelling.
      ...['http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0x7f.0.0.1/'],
      ...['http://0177.0.0.1/', 'http://017700000001/', 'http://127.0.0.1./', 'http://127.000.000.001/', 'http://0/'],
      ...['http://0.0.0.0/', 'http://127.255.255.254/', 'http://１２７.０.０.１/', 'http://127。0。0。1/'],
      ...['http://%31%32%37.0.0.1/', 'http://[::1]/', 'http://[::]/', 'http://[0:0:0:0:0:0:0:1]/'],
      // IPv4 inside of IPv6.
      ...[
        'http://[::ffff:127.0.0.1]/',
        'http://[::ffff:7f00:1]/',
        'http://[::127.0.0.1]/',
        'http://[64:ff9b::7f00:1]/',
      ],
      ...['http://[2002:7f00:1::]/', 'http://[::ffff:169.254.169.254]/', 'http://[2001:0:7f00:1::]/'],
      ...['http://[::ffff:8.8.8.8]/', 'http://[64:ff9b:1::808:808]/'],
      // Networks of one's own, links, groups, what is kept for documents and tests.
      ...[
        'http://10.0.0.1/',
        'http://172.16.0.1/',
        'http://172.31.255.255/',
        'http://192.168.1.1/',
        'http://100.64.0.1/',
      ],
      ...[
        'http://169.254.169.254/latest/meta-data/',
        'http://2852039166/',
        'http://0xa9fea9fe/',
        'http://0251.0376.0251.0376/',
      ],
      ...[
        'http://168.63.129.16/',
        'http://192.0.2.1/',
        'http://198.18.0.1/',
        'http://198.51.100.7/',
        'http://203.0.113.9/',
      ],
      ...['http://224.0.0.1/', 'http://239.255.255.250/', 'http://240.0.0.1/', 'http://255.255.255.255/'],
      ...[
        'http://[fe80::1]/',
        'http://[fc00::1]/',
        'http://[fd00:ec2::254]/',
        'http://[ff02::1]/',
        'http://[2001:db8::1]/',
      ],
      ...['http://[3fff::1]/', 'http://[5f00::1]/', 'http://[100::1]/'],
    ],
  ],
  [
    'host',
    [
      ...[
        'http://localhost/',
        'http://LOCALHOST./',
        'http://a.localhost/',
        'http://metadata/',
        'http://kubernetes.default.svc.local/',
      ],
      ...[
        'http://metadata.google.internal/',
        'http://router.lan/',
        'http://nas.home.arpa/',
        'http://x.onion/',
        'http://intranet/',
      ],
    ],
  ],
  [
    'scheme',
    [
      ...[
        'file:///etc/passwd',
        'ftp://example.com/',
        'gopher://example.com/',
        'javascript:alert(1)',
        'blob:https://example.com/a',
      ],
      ...['ws://example.com/', 'data:image/png;base64,AAAA', 'ipfs://x', 'jar:http://example.com/', 'about:blank'],
    ],
  ],
  ['credentials', ['http://user@example.com/', 'http://a:b@example.com/', 'https://example.com:443@127.0.0.1/']],
  ['port', ['http://example.com:22/', 'https://example.com:6379/', 'http://example.com:25/', 'https://8.8.8.8:53/']],
  [
    'url',
    [
      ...['', 'example.com', '//example.com/', 'http://', 'http:// example.com/', 'http://example.com\\@127.0.0.1/'],
      ...['http://exa\tmple.com/', 'http://example.com/\r\nHost: x', 'http://exam\u0000ple.com/', 'http://[::1/'],
      ...[
        'http://[fe80::1%25eth0]/',
        'http://1.2.3.4.5/',
        'http://256.1.1.1/',
        `http://example.com/${'a'.repeat(3000)}`,
      ],
    ],
  ],
];
