import { Feature } from '../feature/feature.js';
import { StreamRoute } from './transport/stream.route.js';
import { WebSocketRoute } from './transport/web-socket.route.js';

/** The ways into the live interface on the api listener. */
@Feature({ routes: [StreamRoute, WebSocketRoute] })
export class LiveFeature {}
