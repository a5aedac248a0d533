/** Chooses a wallet of this browser and signs with it. */
import { usualNetwork } from '@market/contract';
import { type ReactNode, useState } from 'react';
import { Button, RadioRows } from '../ui/index.ts';
import { networkWords } from '../words.ts';
import { useWallets } from './use-wallets.ts';
import { walletRow } from './wallet-mark.tsx';
import { explainWalletError, type WalletKind, type WalletSession } from './wallet-session.ts';

export interface SignWithWalletProps {
  /** Label of the button. */
  readonly label: string;
  /** Explains the wallet's message, and what signing it means. */
  readonly note: ReactNode;
  /** The alternative if this browser has no wallet. */
  readonly without: string;
  readonly onSign: (session: WalletSession) => Promise<void>;
  /** Makes the button marigold, if signing is the purpose of the page. */
  readonly primary?: boolean;
  /** Offers only wallets of this kind. */
  readonly kind?: WalletKind;
}

const kindWords = { evm: `${networkWords[usualNetwork.evm]} and EVM`, solana: networkWords[usualNetwork.solana] } as const;

export function SignWithWallet({ label, note, without, onSign, primary = false, kind }: SignWithWalletProps) {
  const { offers: all, directory, isLooking } = useWallets();
  const offers = kind === undefined ? all : all.filter((offer) => offer.kind === kind);
  const [chosen, setChosen] = useState<string>();
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const offer = offers.find(({ id }) => id === chosen);
  const sign = async (): Promise<void> => {
    if (offer === undefined || directory === undefined) return;
    setProblem(undefined);
    try {
      setBusy('Connecting to your wallet');
      const session = await directory.connect(offer.id);
      setBusy('Open your wallet and sign');
      await onSign(session);
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setBusy(undefined);
    }
  };
  // The server does not know the wallets. Reserve space for two, so that the layout does not jump.
  if (isLooking) return <WalletsToCome />;
  if (offers.length === 0)
    return (
      <p className="note">
        No {kind === undefined ? '' : `${networkWords[usualNetwork[kind]]} `}wallet was found in this browser. {without}
      </p>
    );
  return (
    <div className="stack">
      <RadioRows
        legend="Wallets of this browser"
        value={chosen}
        rows={offers.map((row) => walletRow(row, kindWords[row.kind]))}
        onChange={setChosen}
        error={problem}
      />
      <div>
        <Button
          kind={primary ? 'primary' : 'ink'}
          busy={busy}
          disabledReason={offer === undefined ? 'Choose a wallet first.' : undefined}
          onClick={() => void sign()}
        >
          {label}
        </Button>
      </div>
      <p className="note">{note}</p>
    </div>
  );
}

function WalletsToCome() {
  return (
    <div className="stack wallets-to-come">
      <p className="note">
        The wallets of this browser are looked for by a script. Without scripts, use the API: a wallet signs in with one message.
      </p>
    </div>
  );
}

function wordsOf(error: unknown): string {
  if (error instanceof Error && 'requestId' in error) return error.message;
  return explainWalletError(error).message;
}
