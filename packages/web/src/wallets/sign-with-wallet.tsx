/** Choose a wallet of this browser and sign with it. */
import { type ReactNode, useState } from 'react';
import { Button, RadioRows } from '../ui/index.ts';
import { useWallets } from './use-wallets.ts';
import { walletRow } from './wallet-mark.tsx';
import { explainWalletError, type WalletSession } from './wallet-session.ts';

export interface SignWithWalletProps {
  /** Asks the wallet; throws what the wallet or the service refuses. */
  readonly sign: (session: WalletSession) => Promise<void>;
  readonly button: string;
  /** What the wallet will show, and that it costs nothing. */
  readonly note: ReactNode;
  /** Where there is no wallet: what to do instead. */
  readonly otherwise: string;
  /** The marigold button, where this is what the page is for. */
  readonly primary?: boolean;
}

const kindWords = { evm: 'Base and EVM', solana: 'Solana' } as const;

export function SignWithWallet({ sign, button, note, otherwise, primary = false }: SignWithWalletProps) {
  const { offers, directory } = useWallets();
  const [chosen, setChosen] = useState<string>();
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const offer = offers.find(({ id }) => id === chosen);
  const connectAndSign = async (): Promise<void> => {
    if (offer === undefined || directory === undefined) return;
    setProblem(undefined);
    try {
      setBusy('Connecting to your wallet');
      const session = await directory.connect(offer.id);
      setBusy('Open your wallet and sign');
      await sign(session);
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setBusy(undefined);
    }
  };
  if (offers.length === 0) return <p className="note">No wallet was found in this browser. {otherwise}</p>;
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
          kind={primary ? 'pri' : 'ink'}
          busy={busy}
          whyNot={offer === undefined ? 'Choose a wallet first.' : undefined}
          onClick={() => void connectAndSign()}
        >
          {button}
        </Button>
      </div>
      <p className="note">{note}</p>
    </div>
  );
}

function wordsOf(error: unknown): string {
  if (error instanceof Error && 'requestId' in error) return error.message;
  return explainWalletError(error).message;
}
