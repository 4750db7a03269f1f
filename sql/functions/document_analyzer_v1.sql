-- The analyzer of a document: of a list the member that its language names, else the first; without a list the one there is.
--
-- analyzer: as analyze_v1 takes it.
-- language: a tag such as `en`, `pt-BR`, `zh_Hant` or `deu`, or a language's English name; upper and lower case are alike.
--           Null, or a language that no member is for, is the first member's. Chinese, Japanese and Korean are `cjk`'s.
--
-- Never an error, and it checks nothing: the members of a version were checked when it was made.
CREATE FUNCTION ragspine.document_analyzer_v1(analyzer text, language text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  named text;
  base text;
  member text;
BEGIN
  IF strpos(analyzer, ',') = 0 THEN
    RETURN analyzer;
  END IF;
  named := lower(split_part(translate(btrim(language), '_', '-'), '-', 1) COLLATE "C");
  base := CASE
    WHEN named IN ('zh', 'zho', 'chi', 'cmn', 'yue', 'chinese', 'ja', 'jpn', 'japanese', 'ko', 'kor', 'korean') THEN 'cjk'
    WHEN named IN ('ar', 'ara') THEN 'arabic'
    WHEN named IN ('hy', 'hye', 'arm') THEN 'armenian'
    WHEN named IN ('eu', 'eus', 'baq') THEN 'basque'
    WHEN named IN ('ca', 'cat') THEN 'catalan'
    WHEN named IN ('da', 'dan') THEN 'danish'
    WHEN named IN ('nl', 'nld', 'dut') THEN 'dutch'
    WHEN named IN ('en', 'eng') THEN 'english'
    WHEN named IN ('eo', 'epo') THEN 'esperanto'
    WHEN named IN ('et', 'est') THEN 'estonian'
    WHEN named IN ('fi', 'fin') THEN 'finnish'
    WHEN named IN ('fr', 'fra', 'fre') THEN 'french'
    WHEN named IN ('de', 'deu', 'ger') THEN 'german'
    WHEN named IN ('el', 'ell', 'gre') THEN 'greek'
    WHEN named IN ('hi', 'hin') THEN 'hindi'
    WHEN named IN ('hu', 'hun') THEN 'hungarian'
    WHEN named IN ('id', 'ind') THEN 'indonesian'
    WHEN named IN ('ga', 'gle') THEN 'irish'
    WHEN named IN ('it', 'ita') THEN 'italian'
    WHEN named IN ('lt', 'lit') THEN 'lithuanian'
    WHEN named IN ('ne', 'nep') THEN 'nepali'
    WHEN named IN ('no', 'nor', 'nb', 'nob', 'nn', 'nno') THEN 'norwegian'
    WHEN named IN ('pl', 'pol') THEN 'polish'
    WHEN named IN ('pt', 'por') THEN 'portuguese'
    WHEN named IN ('ro', 'ron', 'rum') THEN 'romanian'
    WHEN named IN ('ru', 'rus') THEN 'russian'
    WHEN named IN ('sr', 'srp') THEN 'serbian'
    WHEN named IN ('es', 'spa') THEN 'spanish'
    WHEN named IN ('sv', 'swe') THEN 'swedish'
    WHEN named IN ('ta', 'tam') THEN 'tamil'
    WHEN named IN ('tr', 'tur') THEN 'turkish'
    WHEN named IN ('yi', 'yid') THEN 'yiddish'
    ELSE named
  END;
  FOREACH member IN ARRAY string_to_array(analyzer, ',') LOOP
    IF split_part(member, '+', 1) = base THEN
      RETURN member;
    END IF;
  END LOOP;
  RETURN split_part(analyzer, ',', 1);
END
$$;

COMMENT ON FUNCTION ragspine.document_analyzer_v1(text, text) IS 'The analyzer of a document of a language.';
