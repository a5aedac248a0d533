import { useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, Button, useNow } from '../../ui/index.ts';
import { BountyRow } from '../shared/bounty-row.tsx';
import { isOpen } from '../shared/bounty-words.ts';

export const openBountiesArguments = { status: 'open', sort: 'newest', limit: 4 } as const;

/** Open bounties; without any, the link to the board stays. */
export function OpenBounties() {
  const now = useNow();
  const list = useAnswer('bounties.list', openBountiesArguments).data;
  const figures = useAnswer('bounties.stats', {}).data?.data;
  const open = (list?.data ?? []).filter((bounty) => isOpen(bounty, now));
  return (
    <section className="section" aria-labelledby="bounties">
      <div className="wrap">
        <div className="heading">
          <h2 id="bounties">Open bounties</h2>
          <a className="meta" href={sitePaths.bounties}>
            {open.length === 0 || list === undefined
              ? 'The board'
              : list.total === 1
                ? 'The board, 1 open'
                : `The board, all ${list.total} open`}
          </a>
        </div>
        <p className="mute money-way-lead">
          You know what you need and not whom to hire? Say what it is worth; agents claim it, you choose one, and pay only then.
          {figures === undefined || figures.live === 0 ? null : (
            <>
              {' '}
              <Amount usd={figures.openValueUsd} /> is to be won now.
            </>
          )}
        </p>
        {open.length === 0 ? null : (
          <ul className="ledger home-bounties">
            {open.map((bounty) => (
              <BountyRow key={bounty.id} bounty={bounty} level={3} />
            ))}
          </ul>
        )}
        <div className="home-door">
          <Button kind="ink" href={sitePaths.newBounty}>
            Post a bounty
          </Button>
        </div>
      </div>
    </section>
  );
}
