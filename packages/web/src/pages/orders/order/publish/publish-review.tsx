/** Lets the author publish a review on Base: the meaning, the cost, and one click with a wallet. */
import { networkFacts, usualNetwork } from '@market/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Answer, invalidate, useAnswer } from '../../../../data/answers.ts';
import { useSession } from '../../../../data/session.ts';
import { formatNative } from '../../../../pay/format-native.ts';
import { NotYours } from '../../../../pay/not-yours.tsx';
import { sitePaths } from '../../../../site-paths.ts';
import { Button, Hash, Loaded, RadioRows, Skeleton, Sum, shorten, TextField } from '../../../../ui/index.ts';
import { useWallets } from '../../../../wallets/use-wallets.ts';
import { walletRow } from '../../../../wallets/wallet-mark.tsx';
import type { PayableNetwork, WalletSession } from '../../../../wallets/wallet-session.ts';
import { networkWords } from '../../../../words.ts';
import { type Publishing, usePublish } from './use-publish.ts';

type Feedback = Answer<'onchainFeedback.read'>['data'];

const LOOK_AGAIN_MS = 3_000;
const BASE = networkWords[usualNetwork.evm];

export function PublishReview({ orderId }: { readonly orderId: string }) {
  const { session, choose, walletId, problem } = useEvmWallet();
  const feedback = useAnswer('onchainFeedback.read', { id: orderId });
  return (
    <section className="order-publish stack" aria-labelledby="publish">
      <h3 id="publish">Publish this review on {BASE}</h3>
      <Loaded answer={feedback} what="What publishing costs" skeleton={<Skeleton lines={4} label="What publishing costs: loading" />}>
        {({ data }) =>
          data.status === 'none' ? (
            <Offer {...{ orderId, feedback: data, session, choose, walletId, problem }} />
          ) : (
            <Sent orderId={orderId} feedback={data} />
          )
        }
      </Loaded>
    </section>
  );
}

/** Polls until the publication is final; then the order shows it. */
function Sent({ orderId, feedback }: { readonly orderId: string; readonly feedback: Feedback }) {
  const queries = useQueryClient();
  const { status } = useAnswer('onchainFeedback.read', { id: orderId }, { everyMs: LOOK_AGAIN_MS }).data?.data ?? feedback;
  useEffect(() => {
    if (status === 'published') void invalidate(queries, ['orders.get']);
  }, [status, queries]);
  return (
    <p className="mute" role="status">
      Sent in <Hash value={feedback.tx_hash ?? ''} href={feedback.explorer_url} what="transaction of this review" />. It counts as published
      when its block is final. You may leave this page.
    </p>
  );
}

interface EvmWallet {
  readonly session: WalletSession | undefined;
  readonly walletId: string | undefined;
  readonly problem: string | undefined;
  choose(walletId: string): void;
}

/** Uses a wallet that was used here before, or the sandbox's own, without asking. */
function useEvmWallet(): EvmWallet {
  const { offers, directory } = useWallets();
  const [session, setSession] = useState<WalletSession>();
  const [walletId, setWalletId] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const tried = useRef(false);
  useEffect(() => {
    if (directory === undefined || tried.current || walletId !== undefined) return;
    const remembered = directory.rememberedOf('evm');
    const wanted = offers.find(({ id }) => id === remembered) ?? offers.find(({ isTest, kind }) => isTest && kind === 'evm');
    if (wanted === undefined) return;
    tried.current = true;
    void directory.resume(wanted.id).then((opened) => {
      if (opened === undefined) return;
      setWalletId(wanted.id);
      setSession(opened);
    });
  });
  return {
    session,
    walletId,
    problem,
    choose(id) {
      setWalletId(id);
      setSession(undefined);
      setProblem(undefined);
      directory?.connect(id).then(setSession, (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
    },
  };
}

interface OfferProps extends EvmWallet {
  readonly orderId: string;
  readonly feedback: Feedback;
}

function Offer({ orderId, feedback, session, walletId, choose, problem }: OfferProps) {
  const { offers } = useWallets();
  const publish = usePublish(orderId);
  const network = useAnswer('payments.networks', {}).data?.data.find((one) => one.network === usualNetwork.evm);
  const isMine = session !== undefined && feedback.wallets.some((wallet) => wallet.toLowerCase() === session.address.toLowerCase());
  const args = { id: orderId, ...(isMine && { client_wallet: session.address }) };
  const cost = useAnswer('onchainFeedback.read', args, { enabled: isMine, keepPrevious: true }).data?.data.cost ?? feedback.cost;
  const evm = offers.filter(({ kind }) => kind === 'evm');
  return (
    <>
      <p className="mute">
        Your wallet writes the rating into the ERC-8004 registry, where other sites read it, with your payment as proof. Everybody then sees
        your wallet and your words, for ever.
      </p>
      <Cost cost={cost} network={network} />
      {evm.length === 0 ? (
        <p className="note">No {BASE} wallet was found in this browser. The API shows the call, so any wallet can send it.</p>
      ) : (
        <RadioRows
          legend="Wallet that publishes"
          value={walletId}
          rows={evm.map((offer) => walletRow(offer, offer.id === walletId && session !== undefined ? shorten(session.address) : ''))}
          onChange={choose}
          error={problem}
        />
      )}
      {isMine ? null : <WhoseWallet {...{ feedback, session, walletId }} />}
      {publish.unsure ? (
        <Unsure publish={publish} />
      ) : (
        <div className="actions">
          <Button
            kind="ink"
            busy={publish.busy}
            disabledReason={publish.busy === undefined ? disabledReasonOf(session, isMine, cost, network) : undefined}
            onClick={() => session !== undefined && network !== undefined && void publish.start(session, network, feedback.registry)}
          >
            Publish on {BASE}
          </Button>
        </div>
      )}
      {publish.problem === undefined ? null : (
        <p className="alert" role="alert">
          <b>Not published.</b> {publish.problem}
        </p>
      )}
    </>
  );
}

/** Instructions if the chosen wallet is not proven to be the author's, or none can be chosen. */
function WhoseWallet({ feedback, session, walletId }: Pick<OfferProps, 'feedback' | 'session' | 'walletId'>) {
  const { user } = useSession();
  const hasNone = feedback.wallets.length === 0;
  if (user === null && hasNone)
    return (
      <p className="note">
        <b>Only a {BASE} wallet of yours can publish it.</b> Sign in with an account, <a href={sitePaths.wallet}>link this wallet</a> and
        one on {BASE} to it, then come back.
      </p>
    );
  if (session !== undefined) return <NotYours address={session.address} walletId={walletId} what="review" />;
  return hasNone ? (
    <p className="note">
      <b>Only a {BASE} wallet of yours can publish it.</b> <a href={sitePaths.wallet}>Link one on the wallet page</a>, then come back.
    </p>
  ) : null;
}

/** Only the person can see what the wallet did, so this asks them. */
function Unsure({ publish }: { readonly publish: Publishing }) {
  const [reference, setReference] = useState('');
  return (
    <div className="stack" role="status">
      <p className="note">
        <b>Your wallet was asked, and it is not known what it sent.</b> Look into it first: sent twice, the review is published twice.
      </p>
      <TextField label="Transaction, if it sent one" value={reference} onChange={setReference} optional />
      <div className="actions">
        <Button size="small" kind="ink" busy={publish.busy} onClick={() => void publish.take(reference)}>
          Record this transaction
        </Button>
        <Button size="small" onClick={publish.startOver}>
          It sent nothing
        </Button>
      </div>
    </div>
  );
}

function Cost({ cost, network }: { readonly cost: Feedback['cost']; readonly network: PayableNetwork | undefined }) {
  const shown = (ether: string | null | undefined): string =>
    ether == null || network === undefined ? 'not known now' : formatNative(String(toWei(ether)), network);
  return (
    <Sum
      lines={[
        { label: 'Network fee today', value: <span className="mono">{shown(cost?.cost_eth)}</span>, kind: 'total' },
        { label: 'In this wallet', value: <span className="mono">{shown(cost?.balance_eth)}</span>, kind: 'part' },
      ]}
    />
  );
}

function disabledReasonOf(
  session: WalletSession | undefined,
  isMine: boolean,
  cost: Feedback['cost'],
  network: PayableNetwork | undefined,
): string | undefined {
  if (network === undefined) return 'Reading what the networks are.';
  if (session === undefined) return 'Choose a wallet first.';
  if (!isMine) return 'This wallet must be yours here first.';
  const { required_eth: required = null, balance_eth: balance = null } = cost ?? {};
  if (required === null || balance === null) return undefined;
  if (toWei(balance) >= toWei(required)) return undefined;
  return `This wallet needs ${formatNative(String(toWei(required)), network)} on ${BASE}.`;
}

const { decimals } = networkFacts[usualNetwork.evm].coin;

/** Converts ether to wei: `0.5` is 5 · 10^17. */
function toWei(ether: string): bigint {
  const [whole = '0', fraction = ''] = ether.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
