import { Route } from '#libs/serve/http/declared-route.js';
import { SwapRoute, swapDeclaration } from './swap.route.js';

@Route({
  ...swapDeclaration,
  id: 'buildEvmSwapInstructions',
  path: '/evm/swap-instructions',
  summary: 'Another path of /evm/swap',
})
export class SwapInstructionsRoute extends SwapRoute {}
