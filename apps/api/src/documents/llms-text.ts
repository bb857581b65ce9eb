import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';

/** A short description of the api for language models, as llmstxt.org proposes it: what it is, where the rest is. */
export function llmsText(routes: readonly RouteDeclaration[], channels: readonly ChannelDeclaration[]): string {
  const lines = routes.map(({ method, path, summary, access }) => {
    const shown = path.replace(/:(\w+)/g, '{$1}');
    return `- \`${method} ${shown}\`: ${summary}${access === 'open' ? ' (no key)' : ''}`;
  });
  return [
    '# Tidepool market data',
    '',
    '> Tokens, prices, trades and candles of EVM chains and Solana, over REST, WebSocket and event streams.',
    '',
    'Send the API key as the header `x-api-key`. Every path also answers under `/v1`. Times are Unix milliseconds, unknown values are null, token amounts are decimal strings in whole tokens. Errors are `{"error": {"code", "message"}}`; the message says what to change.',
    '',
    '## Documents',
    '',
    '- [OpenAPI 3.1](/openapi.yaml): every route, parameter, error, header and example',
    '- [AsyncAPI 3](/asyncapi.yaml): the live channels and their frames',
    '',
    '## Routes',
    '',
    ...lines,
    '',
    '## Live channels',
    '',
    ...channels.map(({ name, summary }) => `- \`${name}\`: ${summary}`),
    '',
  ].join('\n');
}
