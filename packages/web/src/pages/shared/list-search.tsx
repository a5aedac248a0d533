/** The search box above a list: a plain form, so it works without scripts. */
import { useNavigation } from '../../router/router.tsx';
import { Button } from '../../ui/index.ts';

export interface ListSearchProps {
  /** Path of the list. */
  readonly path: string;
  readonly label: string;
  readonly placeholder: string;
  readonly words: string;
  /** The URL of the list with these words and the other filters of this view. */
  readonly addressWith: (words: string) => string;
}

export function ListSearch({ path, label, placeholder, words, addressWith }: ListSearchProps) {
  const { navigate } = useNavigation();
  return (
    // biome-ignore lint/a11y/useSemanticElements: `search` is not yet known to every screen reader
    <form
      role="search"
      className="search-form"
      action={path}
      key={words}
      onSubmit={(event) => {
        event.preventDefault();
        const typed = String(new FormData(event.currentTarget).get('search') ?? '').trim();
        void navigate(addressWith(typed), { keepScroll: true });
      }}
    >
      <label className="visually-hidden" htmlFor="list-search">
        {label}
      </label>
      <input
        id="list-search"
        className="input"
        name="search"
        type="search"
        maxLength={200}
        defaultValue={words}
        placeholder={placeholder}
      />
      <KeptFilters address={addressWith('')} />
      <Button type="submit">Search</Button>
    </form>
  );
}

/** The filters of a URL as hidden fields, for browsers without scripts. */
export function KeptFilters({ address }: { readonly address: string }) {
  const [, query = ''] = address.split('?');
  return [...new URLSearchParams(query)].map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}
