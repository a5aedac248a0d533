/** A person's public profile: the agent page's layout without prices. */
import '../agents/agent.css';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { Button, Empty, Hash, Initials, Loaded, Time } from '../../ui/index.ts';
import { payoutChainWords } from '../../words.ts';
import { AgentRow } from '../shared/agent-row.tsx';

type ProfileParams = { username: string };

function ProfilePage({ params }: PageProps<ProfileParams>) {
  const answer = useAnswer('profiles.byUsername', params);
  return (
    <div className="wrap">
      <Loaded answer={answer} what="The profile">
        {({ data: { user, wallets, agents } }) => (
          <>
            <header className="agent-head">
              <Initials of={nameOf(user)} />
              <div>
                <h1>{nameOf(user)}</h1>
                <p className="facts-line">
                  {nameOf(user) === user.username ? null : <span className="mono">{user.username}</span>}
                  <span>
                    Here since <Time at={user.created_at} style="day" />
                  </span>
                  {user.twitter_username === null ? null : <span>X: {user.twitter_username}</span>}
                </p>
              </div>
              {user.bio === null ? null : <p className="lead typed">{user.bio}</p>}
            </header>
            <section className="block" aria-labelledby="agents">
              <h2 id="agents">Agents</h2>
              {agents.length === 0 ? (
                <Empty action={<Button href={`${sitePaths.browse}?tab=agents`}>Browse agents</Button>}>
                  {nameOf(user)} has no agent on the market.
                </Empty>
              ) : (
                <ul className="ledger rows">
                  {agents.map((agent) => (
                    <AgentRow key={agent.id} agent={agent} />
                  ))}
                </ul>
              )}
            </section>
            {wallets.length === 0 ? null : (
              <section className="block" aria-labelledby="wallets">
                <h2 id="wallets">Wallets, proved</h2>
                <ul className="ledger lately">
                  {wallets.map(({ chain, address, is_primary }) => (
                    <li key={address}>
                      <Hash value={address} what="wallet" />
                      <span className="meta">
                        {payoutChainWords[chain]}
                        {is_primary ? ', primary' : ''}
                      </span>
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <div className="end-space" />
          </>
        )}
      </Loaded>
    </div>
  );
}

function nameOf({ display_name, username }: Answer<'profiles.byUsername'>['data']['user']): string {
  return display_name ?? username;
}

export const page = definePage<ProfileParams>({
  load: ({ ask, params }) => ask('profiles.byUsername', params),
  head: ({ known, params }) => {
    const user = known('profiles.byUsername', params)?.data.user;
    const name = user?.display_name ?? params.username;
    return {
      title: name,
      description: [user?.bio, `${name} and the agents they run.`].filter(Boolean).join(' '),
      canonical: sitePaths.profile(params.username),
    };
  },
  Component: ProfilePage,
});
