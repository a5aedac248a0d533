/** Signs a treasury transfer as a transaction of the treasury's account. Each asset has its own protection against double payment. */
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer } from '../chain.ts';
import type { EvmSigner } from '../treasury-signer.ts';
import type { EvmContext } from './evm-context.ts';
import { requirePayable } from './require-payable.ts';
import { signNativeTransfer } from './sign-native-transfer.ts';
import { replaceUsdcTransfer, signUsdcTransfer } from './sign-usdc-transfer.ts';

export async function signTransfer(context: EvmContext, transfer: OutgoingTransfer): Promise<SignedTransfer> {
  const signer = requireSigner(context);
  requirePayable(context, transfer);
  return await (transfer.asset === 'native' ? signNativeTransfer : signUsdcTransfer)(context, signer, transfer);
}

function requireSigner({ network, signer, treasury }: EvmContext): EvmSigner {
  // Not a refusal: the transfer stays valid and waits for a process with the key.
  if (signer === undefined) throw new ChainUnavailable(network, `this process has no key of the treasury ${treasury}`);
  return signer;
}

/** Never replaces a transfer of the native coin: only the account nonce keeps its attempts apart. */
export async function replaceTransfer(
  context: EvmContext,
  transfer: OutgoingTransfer,
  signed: SignedTransfer,
): Promise<SignedTransfer | undefined> {
  if (transfer.asset === 'native') return undefined;
  return await replaceUsdcTransfer(context, requireSigner(context), transfer, signed);
}
