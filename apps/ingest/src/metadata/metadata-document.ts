import { cleanText } from '#libs/chain/chains/clean-text.js';
import { publicUrl } from '#libs/platform/outbound/public-url.js';

/** What a token's metadata file says that is shown. Each part is null where the file has none, or none that is fit to be shown. */
export interface MetadataDocument {
  /** Where the picture is, as the file says: not checked yet. */
  readonly image: string | null;
  readonly description: string | null;
  readonly twitter: string | null;
  readonly telegram: string | null;
  readonly website: string | null;
  readonly discord: string | null;
}

export const NO_DOCUMENT: MetadataDocument = {
  ...{ image: null, description: null, twitter: null, telegram: null, website: null, discord: null },
};

const MOST_DESCRIPTION = 1_000;
const MOST_LINK = 512;
/** A picture may be inside of its address. */
const MOST_IMAGE = 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the JSON of Metaplex, ERC-7572 and the launchpads, which differ in names and in where links are. Anything may be in the
 * file: a part of another form is passed over. Null where it is no object at all.
 */
export function readDocument(text: string): MetadataDocument | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isFields(value)) return null;
  const places = [value, value.extensions, value.socials, value.links, value.properties].filter(isFields);
  const listed = platformsOf(value.socialMediaUrls);
  const find = (...names: string[]): string | null => {
    for (const place of [...places, listed]) {
      for (const name of names) {
        const found = place[name];
        if (typeof found === 'string' && found.trim() !== '') return found.trim();
      }
    }
    return null;
  };
  const image = find('image', 'image_url', 'imageUrl', 'logo', 'logoURI');
  return {
    image: image !== null && image.length <= MOST_IMAGE ? image : null,
    description: textOf(find('description')),
    twitter: linkOf(find('twitter', 'x'), 'https://x.com/'),
    telegram: linkOf(find('telegram'), 'https://t.me/'),
    website: linkOf(find('website', 'external_url', 'external_link', 'home_page'), null),
    discord: linkOf(find('discord'), null),
  };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Clanker lists links as `{platform, url}`. */
function platformsOf(list: unknown): Fields {
  if (!Array.isArray(list)) return {};
  const pairs = list
    .slice(0, 20)
    .flatMap((entry) => (isFields(entry) && typeof entry.platform === 'string' ? [[entry.platform, entry.url]] : []));
  return Object.fromEntries(pairs) as Fields;
}

function textOf(text: string | null): string | null {
  if (text === null) return null;
  // Lines become spaces: a description is one paragraph wherever it is shown.
  const clean = cleanText(text.slice(0, 8 * MOST_DESCRIPTION).replace(/\s+/g, ' '));
  const short = Array.from(clean).slice(0, MOST_DESCRIPTION).join('').trim();
  return short === '' ? null : short;
}

/** An https address of a public host, in its plain spelling; a bare name of an account becomes the address of its page. */
function linkOf(text: string | null, home: string | null): string | null {
  if (text === null || text.length > MOST_LINK) return null;
  const account = /^@?([A-Za-z0-9_]{1,32})$/.exec(text)?.[1];
  try {
    const url = publicUrl(account !== undefined && home !== null ? home + account : text, { schemes: ['https'] });
    return url.href.length > MOST_LINK ? null : url.href;
  } catch {
    return null;
  }
}
