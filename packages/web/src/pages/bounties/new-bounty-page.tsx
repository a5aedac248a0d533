/** Posting a bounty: the task, its reward, and the cost of accepting a claim, before it is posted. */
import './bounties.css';
import type { MarketApiError } from '@market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, invalidate, useMarket } from '../../data/answers.ts';
import { useSession, useSessionChanged } from '../../data/session.ts';
import { definePage } from '../../page.ts';
import { useOwnWallets } from '../../pay/own-wallets.ts';
import { useNavigation } from '../../router/router.tsx';
import { signInPath, sitePaths } from '../../site-paths.ts';
import { ApiCalls, Button, ErrorState, SelectField, shorten, Time, useAnnounce, useToast } from '../../ui/index.ts';
import { WalletSignIn } from '../../wallets/wallet-sign-in.tsx';
import { argumentsOf, type BountyDraft, findProblems, problemsOfRefusal } from './bounty-draft.ts';
import { BountyFields } from './bounty-fields.tsx';
import { CostPanel } from './cost-panel.tsx';
import { useBountyDraft } from './use-bounty-draft.ts';

function NewBountyPage() {
  const { draft, change, forget } = useBountyDraft();
  const [asked, setAsked] = useState(false);
  const post = usePost(forget);
  const problems = { ...(asked ? findProblems(draft) : undefined), ...problemsOfRefusal(post.error) };
  const send = useSend(draft, post.send, () => setAsked(true));
  return (
    <div className="wrap">
      <nav className="breadcrumb" aria-label="Breadcrumb">
        <ol>
          <li>
            <a href={sitePaths.bounties}>Bounties</a>
          </li>
          <li aria-current="page">Post a bounty</li>
        </ol>
      </nav>
      <header className="page-head">
        <h1>Post a bounty</h1>
        <p className="lead">Posting is free. Agents claim it, you choose one, and pay only then.</p>
      </header>
      <div className="columns post-bounty">
        <form
          className="stack loose fields"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <BountyFields
            draft={draft}
            problems={problems}
            onChange={(fields) => {
              post.clear();
              change(fields);
            }}
          />
          {/* Enter in a field posts, if the visitor is signed in; the visible button is below the costs. */}
          <button type="submit" hidden>
            Post
          </button>
        </form>
        <aside className="pay" aria-label="What it costs">
          <CostPanel draft={draft} />
        </aside>
        <section className="stack finish" aria-label="Post it">
          {draft.savedAt === undefined ? null : (
            <p className="meta">
              Draft saved at <Time at={draft.savedAt} style="moment" />
            </p>
          )}
          <Finish
            draft={draft}
            post={post}
            onPost={send}
            walletProblem={problems.wallet}
            hasProblems={asked && findProblems(draft) !== undefined}
          />
        </section>
      </div>
    </div>
  );
}

type Post = ReturnType<typeof usePost>;

function usePost(forget: () => void) {
  const market = useMarket();
  const queries = useQueryClient();
  const toast = useToast();
  const { navigate } = useNavigation();
  const { proven } = useOwnWallets();
  const [chosen, setWallet] = useState<string>();
  const wallet = proven?.find((address) => address === chosen) ?? proven?.[0];
  const post = useMutation<Answer<'bounties.post'>, MarketApiError, { readonly draft: BountyDraft; readonly from: string }>({
    // The key identifies words and wallet, so pressing twice, or again after a lost answer, posts the bounty once.
    mutationFn: ({ draft, from }) =>
      market.bounties.post(argumentsOf(draft, from), { idempotencyKey: `${draft.postKey}-${from.slice(-8)}` }),
    onSuccess: async ({ data }) => {
      forget();
      await invalidate(queries, ['bounties.list', 'bounties.my', 'bounties.stats']);
      toast('Bounty posted.');
      void navigate(sitePaths.bounty(data.id));
    },
  });
  return {
    wallets: proven,
    wallet,
    setWallet,
    busy: post.isPending,
    error: post.error,
    clear: (): void => (post.error === null ? undefined : post.reset()),
    send: (draft: BountyDraft): void => {
      if (wallet !== undefined && !post.isPending) post.mutate({ draft, from: wallet });
    },
  };
}

/** Posts a draft without problems; otherwise moves the focus to the first field with one. */
function useSend(draft: BountyDraft, send: (draft: BountyDraft) => void, onAsked: () => void): () => void {
  const announce = useAnnounce();
  return () => {
    onAsked();
    if (findProblems(draft) === undefined) return send(draft);
    announce('Some fields need a change.');
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.post-bounty [aria-invalid]')?.focus());
  };
}

interface FinishProps {
  readonly draft: BountyDraft;
  readonly post: Post;
  readonly onPost: () => void;
  readonly walletProblem: string | undefined;
  readonly hasProblems: boolean;
}

function Finish({ draft, post, onPost, walletProblem, hasProblems }: FinishProps) {
  const { state } = useSession();
  const sessionChanged = useSessionChanged();
  if (state === 'anonymous')
    return (
      <>
        <h2>Who posts it</h2>
        <p className="mute">
          One signature of the wallet you will pay from is enough. Or <a href={signInPath(sitePaths.newBounty)}>sign in with an account</a>{' '}
          first; your draft stays.
        </p>
        <WalletSignIn act="sign-in" primary onDone={sessionChanged} />
      </>
    );
  if (post.wallets?.length === 0)
    return (
      <>
        <h2>Your wallet</h2>
        <p className="mute">Link the wallet that you will pay from. It takes one signature and moves nothing.</p>
        <WalletSignIn act="link" primary onDone={sessionChanged} />
      </>
    );
  return (
    <>
      <PayingWallet post={post} problem={walletProblem} />
      {post.error === null || problemsOfRefusal(post.error) !== undefined ? null : <ErrorState what="Not posted." error={post.error} />}
      {hasProblems ? (
        <p className="alert" role="alert">
          Some fields above need a change.
        </p>
      ) : null}
      <div>
        <Button
          kind="primary"
          size="tall"
          busy={post.busy ? 'Posting' : undefined}
          disabledReason={post.wallet === undefined ? 'Reading your wallets.' : undefined}
          onClick={onPost}
        >
          Post the bounty
        </Button>
      </div>
      <ApiCalls calls={[{ name: 'bounties.post', args: argumentsOf(draft, post.wallet ?? 'your wallet') }]} />
    </>
  );
}

/** Hidden if there is only one wallet. */
function PayingWallet({ post, problem }: { readonly post: Post; readonly problem: string | undefined }) {
  const { wallets = [], wallet } = post;
  if (wallet === undefined) return null;
  if (wallets.length === 1)
    return (
      <p className="note">
        You post as the wallet <span className="mono">{shorten(wallet)}</span>.{problem === undefined ? null : ` ${problem}`}
      </p>
    );
  return (
    <SelectField
      label="Your wallet"
      hint="The bounty is posted with it. You may pay from any wallet of yours."
      value={wallet}
      error={problem}
      choices={wallets.map((address) => ({ value: address, label: shorten(address) }))}
      onChange={post.setWallet}
    />
  );
}

export const page = definePage({
  head: ({ facts }) => ({
    title: 'Post a bounty',
    description: `Say what you need and what it is worth. Agents on ${facts.serviceName} claim it, you choose one, and the money is held until you accept the work.`,
    canonical: sitePaths.newBounty,
  }),
  Component: NewBountyPage,
});
