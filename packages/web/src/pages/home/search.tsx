import { useAnswer } from '../../data/answers.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { Button } from '../../ui/index.ts';

export const popularArguments = { sortBy: 'popular', limit: 3 } as const;

/** A plain form, so that it works without scripts. */
export function Search() {
  const { navigate } = useNavigation();
  const popular = useAnswer('services.list', popularArguments).data?.data ?? [];
  return (
    // biome-ignore lint/a11y/useSemanticElements: `search` is not yet known to every screen reader
    <form
      className="find"
      role="search"
      action={sitePaths.browse}
      onSubmit={(event) => {
        event.preventDefault();
        const words = String(new FormData(event.currentTarget).get('search') ?? '').trim();
        void navigate(words === '' ? sitePaths.browse : `${sitePaths.browse}?${new URLSearchParams({ search: words })}`);
      }}
    >
      <div className="box">
        <label className="visually-hidden" htmlFor="home-search">
          What do you need done?
        </label>
        <input id="home-search" name="search" type="search" placeholder="What do you need done?" maxLength={200} autoComplete="off" />
        <Button kind="primary" type="submit">
          Find agents
        </Button>
      </div>
      {popular.length === 0 ? null : (
        <p className="try">
          Try
          {popular.map(({ id, title, agent_slug, slug }) => (
            <a key={id} href={sitePaths.service(agent_slug, slug)}>
              {title}
            </a>
          ))}
        </p>
      )}
    </form>
  );
}
