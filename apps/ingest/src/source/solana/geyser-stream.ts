import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { redact } from '#libs/chain/chains/rpc/rpc-error.js';
import { geyserAddress } from '#libs/chain/chains/solana/geyser/geyser-address.js';
import { blockRequest, pingRequest } from '#libs/chain/chains/solana/geyser/geyser-update.js';

/**
 * One subscription on one connection. It ends once and for good: by its caller, by the endpoint, by a message that cannot be
 * read, or because the endpoint gives no sign of life. What ends it is reported without the address and its token.
 */
export interface GeyserStreamOptions {
  url: string;
  pingMs: number;
  silenceMs: number;
  /** Throwing ends the stream. */
  onMessage: (bytes: Buffer) => void;
  onEnd: (reason: string) => void;
}

const METHOD = '/geyser.Geyser/Subscribe';
const CHANNEL = {
  // A block of a busy chain with its transactions and votes; the default is 4 MB.
  'grpc.max_receive_message_length': 256 * 1024 * 1024,
  // What may be on its way: with the default of 64 KB a distant endpoint could not send blocks as fast as they are made.
  'grpc-node.flow_control_window': 16 * 1024 * 1024,
};

const asIs = (bytes: Buffer): Buffer => bytes;

export class GeyserStream {
  private client: Client | null = null;
  private call: ClientDuplexStream<Buffer, Buffer> | null = null;
  private pinging: NodeJS.Timeout | null = null;
  private silence: NodeJS.Timeout | null = null;
  private ended = false;

  constructor(private readonly options: GeyserStreamOptions) {}

  open(): void {
    const { target, secure, token } = geyserAddress(this.options.url);
    const metadata = new Metadata();
    if (token !== null) metadata.set('x-token', token);
    this.client = new Client(target, secure ? credentials.createSsl() : credentials.createInsecure(), CHANNEL);
    this.call = this.client.makeBidiStreamRequest(METHOD, asIs, asIs, metadata);
    this.call.on('data', (bytes: Buffer) => this.receive(bytes));
    this.call.on('error', (error: ServiceError) => this.end(`${status[error.code] ?? 'error'}: ${error.details}`));
    this.call.on('end', () => this.end('the endpoint ended the stream'));
    this.call.write(blockRequest());
    this.ping();
    this.pinging = setInterval(() => this.ping(), this.options.pingMs);
    this.pinging.unref();
    this.expectNews();
  }

  ping(): void {
    if (!this.ended) this.call?.write(pingRequest());
  }

  close(): void {
    this.release();
  }

  private receive(bytes: Buffer): void {
    if (this.ended) return;
    this.expectNews();
    try {
      this.options.onMessage(bytes);
    } catch {
      this.end('a message that cannot be read');
    }
  }

  private expectNews(): void {
    if (this.silence) clearTimeout(this.silence);
    this.silence = setTimeout(() => this.end('no sign of life'), this.options.silenceMs);
    this.silence.unref();
  }

  private end(reason: string): void {
    if (this.ended) return;
    this.release();
    this.options.onEnd(redact(reason, this.options.url));
  }

  private release(): void {
    this.ended = true;
    if (this.pinging) clearInterval(this.pinging);
    if (this.silence) clearTimeout(this.silence);
    this.call?.cancel();
    this.client?.close();
  }
}
