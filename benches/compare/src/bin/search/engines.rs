//! What searches: this program's two rankings, the `bm25` crate and tantivy, each as its documentation has it used.

use std::collections::HashMap;
use std::error::Error;

use aleph_discover::tools::{
    Catalogue, Document, PlainRanker, PlainTokens, Query, Ranker, SearchIndex, SearchOptions, Source, search,
};
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexReader, TantivyDocument};

use crate::tools::Tool;

/// The first is what the others are measured by.
pub(crate) const ENGINES: [&str; 4] = ["fields", "plain", "bm25", "tantivy"];

/// An index of tools that can be asked.
pub(crate) trait Engine {
    /// The places of the best tools, best first.
    fn search(&self, query: &str, limit: usize) -> Result<Vec<usize>, Box<dyn Error>>;
}

/// Builds the index of an engine.
pub(crate) fn build(engine: &str, tools: &[Tool]) -> Result<Box<dyn Engine>, Box<dyn Error>> {
    Ok(match engine {
        "fields" => Box::new(Ours::build(tools, Ranker::Fields)?),
        "plain" => Box::new(Ours::build(tools, Ranker::Bm25)?),
        "bm25" => Box::new(Bm25::build(tools)),
        "tantivy" => Box::new(Tantivy::build(tools)?),
        _ => return Err(format!("{engine} is none of {ENGINES:?}").into()),
    })
}

/// This program: from the JSON of the tools, which the others are spared.
struct Ours {
    index: SearchIndex,
    plain: Option<PlainRanker>,
    ranker: Ranker,
    /// The place among the given tools of each that is indexed, by its name.
    places: HashMap<String, usize>,
}

impl Ours {
    fn build(tools: &[Tool], ranker: Ranker) -> Result<Self, Box<dyn Error>> {
        let lines: Vec<&str> = tools.iter().map(|tool| tool.line.as_str()).collect();
        let text = lines.join("\n");
        let catalogue = Catalogue::read(&[Source {
            name: "tools".into(),
            server: "tools".into(),
            kind: None,
            bytes: text.as_bytes(),
        }])?;
        let index = SearchIndex::build(&catalogue);
        let given: HashMap<(&str, &str), usize> = (0..)
            .zip(tools)
            .map(|(at, tool)| ((tool.server.as_str(), tool.name.as_str()), at))
            .collect();
        let place = |tool: Document<'_>| Some((tool.name.to_owned(), *given.get(&(tool.server, tool.tool))?));
        let places = index.documents().iter().filter_map(place).collect();
        let plain =
            (ranker == Ranker::Bm25).then(|| PlainRanker::new(index.documents(), PlainTokens::Measured));
        Ok(Self {
            index,
            plain,
            ranker,
            places,
        })
    }
}

impl Engine for Ours {
    fn search(&self, query: &str, limit: usize) -> Result<Vec<usize>, Box<dyn Error>> {
        let query = match self.ranker {
            Ranker::Fields => Query::parse(query)?,
            Ranker::Bm25 => Query::words(query)?,
        };
        let options = SearchOptions {
            limit,
            cap: None,
            ranker: self.ranker,
        };
        let answer = search(&self.index, self.plain.as_ref(), &query, options);
        Ok(answer
            .hits
            .iter()
            .filter_map(|hit| self.places.get(hit.tool.name).copied())
            .collect())
    }
}

/// The `bm25` crate with its own tokenizer for English (stems, stop words), over all texts of a tool in one.
struct Bm25(bm25::SearchEngine<u32>);

impl Bm25 {
    fn build(tools: &[Tool]) -> Self {
        let document = |(at, tool): (u32, &Tool)| {
            let Tool {
                server,
                name,
                description,
                parameters,
                parameter_descriptions,
                ..
            } = tool;
            bm25::Document::new(
                at,
                format!("{name} {server} {description} {parameters} {parameter_descriptions}"),
            )
        };
        let documents: Vec<bm25::Document<u32>> = (0..).zip(tools).map(document).collect();
        Self(bm25::SearchEngineBuilder::with_documents(bm25::Language::English, documents).build())
    }
}

impl Engine for Bm25 {
    fn search(&self, query: &str, limit: usize) -> Result<Vec<usize>, Box<dyn Error>> {
        Ok(self
            .0
            .search(query, limit)
            .into_iter()
            .map(|hit| hit.document.id as usize)
            .collect())
    }
}

/// tantivy in memory, with its English stemmer and the field weights of this program, written by one thread.
struct Tantivy {
    reader: IndexReader,
    parser: QueryParser,
}

impl Tantivy {
    fn build(tools: &[Tool]) -> Result<Self, Box<dyn Error>> {
        let stemmed = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer("en_stem")
                .set_index_option(IndexRecordOption::WithFreqs),
        );
        let mut schema = Schema::builder();
        let at = schema.add_u64_field("at", FAST);
        let fields: Vec<(Field, f32)> = [
            ("name", 4.0),
            ("server", 2.0),
            ("description", 1.5),
            ("parameters", 1.0),
            ("described", 0.5),
        ]
        .map(|(field, weight)| (schema.add_text_field(field, stemmed.clone()), weight))
        .into();
        let index = Index::create_in_ram(schema.build());
        let mut writer = index.writer_with_num_threads(1, 256_000_000)?;
        for (place, tool) in (0..).zip(tools) {
            let mut document = TantivyDocument::new();
            document.add_u64(at, place);
            let texts = [
                &tool.name,
                &tool.server,
                &tool.description,
                &tool.parameters,
                &tool.parameter_descriptions,
            ];
            for ((field, _), text) in fields.iter().zip(texts) {
                document.add_text(*field, text);
            }
            writer.add_document(document)?;
        }
        writer.commit()?;
        let mut parser = QueryParser::for_index(&index, fields.iter().map(|(field, _)| *field).collect());
        for (field, weight) in fields {
            parser.set_field_boost(field, weight);
        }
        Ok(Self {
            reader: index.reader()?,
            parser,
        })
    }
}

impl Engine for Tantivy {
    fn search(&self, query: &str, limit: usize) -> Result<Vec<usize>, Box<dyn Error>> {
        // Its query language is not ours: what people write is words.
        let words: String = query
            .chars()
            .map(|character| {
                if character.is_alphanumeric() {
                    character
                } else {
                    ' '
                }
            })
            .collect();
        let (query, _) = self.parser.parse_query_lenient(&words.to_lowercase());
        let searcher = self.reader.searcher();
        let found = searcher.search(&query, &TopDocs::with_limit(limit).order_by_score())?;
        let mut places = Vec::new();
        for (_, address) in found {
            let column = searcher
                .segment_reader(address.segment_ord)
                .fast_fields()
                .u64("at")?;
            places.extend(
                column
                    .first(address.doc_id)
                    .and_then(|at| usize::try_from(at).ok()),
            );
        }
        Ok(places)
    }
}
