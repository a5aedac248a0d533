import { useState } from 'react';
import { type Answer, useAction } from '../../data/answers.ts';
import { useSessionChanged } from '../../data/session.ts';
import { Button, Dialog, Empty, ErrorState, Hash, shorten, Time, useToast } from '../../ui/index.ts';
import { WalletSignIn } from '../../wallets/wallet-sign-in.tsx';
import { payoutChainWords } from '../../words.ts';

type Wallet = Answer<'auth.user'>['data']['wallets'][number];

/** One EVM wallet pays on every EVM network. */
const wordsOf = (chain: keyof typeof payoutChainWords): string =>
  chain === 'base' ? `${payoutChainWords.base} and other EVM networks` : payoutChainWords[chain];

export function LinkedWallets({ wallets }: { readonly wallets: readonly Wallet[] }) {
  const [linking, setLinking] = useState(false);
  const [leaving, setLeaving] = useState<Wallet>();
  const sessionChanged = useSessionChanged();
  const toast = useToast();
  const linked = async (): Promise<void> => {
    await sessionChanged();
    setLinking(false);
    toast('Linked.');
  };
  return (
    <section className="block" aria-labelledby="linked">
      <h2 id="linked">Linked wallets</h2>
      {wallets.length === 0 ? (
        <Empty action={<LinkButton onClick={() => setLinking(true)} />}>
          No wallet is linked yet. Payments count only from a wallet that is yours here.
        </Empty>
      ) : (
        <>
          <ul className="ledger wallet-list">
            {wallets.map((wallet) => (
              <li key={wallet.id}>
                <div className="grow">
                  <span>
                    <Hash value={wallet.address} />
                  </span>
                  <span className="meta">
                    {wordsOf(wallet.chain)}
                    {wallet.is_primary === 1 ? ', used first' : ''}, proven <Time at={wallet.linked_at} style="list" />
                    {wallet.confirmed ? '' : ', pays only after you confirm it'}
                  </span>
                </div>
                {wallet.confirmed ? null : (
                  <Button size="small" kind="ink" label={`Confirm ${shorten(wallet.address)}`} onClick={() => setLinking(true)}>
                    Confirm
                  </Button>
                )}
                <Button size="small" label={`Unlink ${shorten(wallet.address)}`} onClick={() => setLeaving(wallet)}>
                  Unlink
                </Button>
              </li>
            ))}
          </ul>
          <p className="block">
            <LinkButton onClick={() => setLinking(true)} />
          </p>
        </>
      )}
      <Dialog open={linking} onClose={() => setLinking(false)} title="Link a wallet" kind="sheet">
        <div className="stack">
          <p>
            Your account will see this wallet’s orders and deposits, act in its orders and pay with its transfers. It cannot move what the
            wallet holds here, and the wallet can undo the link at any time.
          </p>
          <WalletSignIn act="link" onDone={linked} primary />
        </div>
      </Dialog>
      <Dialog open={leaving !== undefined} onClose={() => setLeaving(undefined)} title="Unlink this wallet">
        {leaving === undefined ? null : <Unlink wallet={leaving} onDone={() => setLeaving(undefined)} />}
      </Dialog>
    </section>
  );
}

function LinkButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button kind="ink" onClick={onClick}>
      Link a wallet
    </Button>
  );
}

function Unlink({ wallet, onDone }: { readonly wallet: Wallet; readonly onDone: () => void }) {
  const toast = useToast();
  const unlink = useAction('auth.unlinkWallet', {
    invalidates: ['auth.user'],
    onDone: () => {
      toast(`Unlinked ${shorten(wallet.address)}.`);
      onDone();
    },
  });
  return (
    <div className="stack">
      <p>
        Payments from <span className="mono">{shorten(wallet.address)}</span> no longer count for your orders, and agents it owns no longer
        show in your account. The wallet keeps what it owns. You can link it again at any time.
      </p>
      {unlink.error === null ? null : <ErrorState what="It was not unlinked." error={unlink.error} />}
      <div className="actions">
        <Button kind="ink" busy={unlink.isPending ? 'Unlinking' : undefined} onClick={() => unlink.mutate({ wallet_id: wallet.id })}>
          Unlink {shorten(wallet.address)}
        </Button>
        <Button onClick={onDone}>Keep it</Button>
      </div>
    </div>
  );
}
