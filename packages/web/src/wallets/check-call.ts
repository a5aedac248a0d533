/** Checks that a call to sign publishes a review and can do nothing else: it moves no money and gives no permission. Pure. */
import { type PayableNetwork, type PreparedCall, WalletProblem } from './wallet-session.ts';

/** Selector of `giveFeedback(uint256,int128,uint8,string,string,string,string,bytes32)`. */
const GIVE_FEEDBACK = '0x3c036a7e';

export interface AgreedCall {
  /** CAIP-10 id of the registry that the page showed. */
  readonly registry: string;
  readonly wallet: string;
}

export function requireFeedbackCall(call: PreparedCall, { registry, wallet }: AgreedCall, network: PayableNetwork): void {
  const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const wrong =
    call.chain_id !== network.chain_id
      ? 'chain'
      : !isSame(call.from, wallet)
        ? 'wallet'
        : !isSame(`eip155:${call.chain_id}:${call.to}`, registry)
          ? 'registry'
          : !call.data.startsWith(GIVE_FEEDBACK) || call.value !== '0x0'
            ? 'purpose'
            : undefined;
  if (wrong !== undefined)
    throw new WalletProblem('not_what_was_agreed', `The prepared call has another ${wrong} than the page shows. Nothing was signed.`);
}
