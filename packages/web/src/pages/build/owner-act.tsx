/** An action that only the owner may take: an account acts directly for its own agents, a wallet signs this very change. */
import { operationList, permits, powerOf } from '@market/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type Answer, type Arguments, type AskName, callOperation, invalidate, useAction } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { Button, ErrorState, shorten } from '../../ui/index.ts';
import { marketOfWallet } from '../../wallets/sign-in-with-wallet.ts';
import { SignWithWallet } from '../../wallets/sign-with-wallet.tsx';
import { WalletProblem, type WalletSession } from '../../wallets/wallet-session.ts';

export interface OwnerActProps<N extends AskName> {
  readonly name: N;
  readonly args: Arguments<N>;
  readonly ownerWallet: string | null;
  readonly label: string;
  readonly busy: string;
  /** Answers that the action outdates. */
  readonly invalidates: readonly AskName[];
  readonly onDone: (answer: Answer<N>) => void;
  /** The effect of the signature, if it does more than change a setting. */
  readonly effect?: string;
  /** True if the action moves money or keys: an owner wallet must sign it, an account alone waits a day. */
  readonly moves?: boolean;
}

const HARMLESS = 'Signing moves nothing and costs nothing.';

/** Refusals that a signature of the owner's wallet resolves. */
export const NEEDS_SIGNATURE = new Set(['custody_signature_required', 'owner_proof_required']);

export function OwnerAct<N extends AskName>({
  name,
  args,
  ownerWallet,
  label,
  busy,
  invalidates,
  onDone,
  effect = HARMLESS,
  moves = false,
}: OwnerActProps<N>) {
  const { user } = useSession();
  const queries = useQueryClient();
  const act = useAction(name, { invalidates, onDone });
  const signed = async (session: WalletSession): Promise<void> => {
    requireOwner(session, ownerWallet);
    const answer = await callOperation(marketOfWallet(session), name, args, { proof: 'custody' });
    await invalidate(queries, invalidates);
    onDone(answer);
  };
  const isSigned = moves || (user === null && !takesSession(name, args)) || NEEDS_SIGNATURE.has(act.error?.code ?? '');
  if (ownerWallet !== null && isSigned)
    return (
      <SignWithWallet
        label={`Sign: ${label}`}
        onSign={signed}
        without="Open this page in the browser that has the owner’s wallet: the change needs its signature."
        note={
          <>
            This belongs to <span className="mono">{shorten(ownerWallet)}</span>, and a stolen session must not do it. So that wallet signs
            this one change: a text that names the call and the time. {effect}
          </>
        }
      />
    );
  return (
    <div className="stack">
      {act.error === null ? null : <ErrorState what="Not done." error={act.error} />}
      <div>
        <Button kind="ink" busy={act.isPending ? busy : undefined} onClick={() => act.mutate(args)}>
          {label}
        </Button>
      </div>
      {moves ? <AtOnce label={label} effect={effect} onSign={signed} /> : null}
    </div>
  );
}

interface AtOnceProps {
  readonly label: string;
  readonly effect: string;
  readonly onSign: (session: WalletSession) => Promise<void>;
}

/** For agents owned by an account: a wallet that has been linked to it for a day can sign to skip the wait. */
export function AtOnce({ label, effect, onSign }: AtOnceProps) {
  return (
    <>
      <p className="note">By account alone it happens in a day, and you can cancel it until then.</p>
      <details className="chart-table">
        <summary>Do it at once with a linked wallet</summary>
        <SignWithWallet
          label={`Sign: ${label}`}
          onSign={onSign}
          without="Open this page in the browser that has a wallet linked to your account."
          note={`A wallet that has been linked to your account for a day signs this one change. ${effect}`}
        />
      </details>
    </>
  );
}

/** Whether a session of the owner's wallet is enough for this call. */
function takesSession(name: AskName, args: Readonly<Record<string, unknown>>): boolean {
  const spec = operationList.find((operation) => operation.name === name)?.spec;
  return spec !== undefined && permits('session', spec, powerOf(spec, args));
}

/** Throws unless the chosen wallet is the owner's. */
export function requireOwner({ address }: WalletSession, ownerWallet: string | null): void {
  if (ownerWallet === null || address.toLowerCase() === ownerWallet.toLowerCase()) return;
  throw new WalletProblem(
    'refused',
    `This is ${shorten(address)}. ${shorten(ownerWallet)} must sign: choose that account in the wallet and try again.`,
  );
}
