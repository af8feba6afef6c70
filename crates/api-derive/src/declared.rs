//! The declaration of a struct: its attributes, parsed.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprArray, ExprRange, Fields, GenericArgument, LitStr, Path,
    PathArguments, RangeLimits, Result, Type, Visibility, ext::IdentExt as _, meta::ParseNestedMeta,
    spanned::Spanned as _,
};

/// A struct that is a request.
pub struct Declared {
    pub visibility: Visibility,
    pub name: Ident,
    pub docs: Vec<Attribute>,
    pub schema: Option<LitStr>,
    pub example: Option<TokenStream>,
    pub check: Option<Path>,
    pub update: Option<Update>,
    pub fields: Vec<Field>,
}

/// The second request of a struct, in which all fields are optional.
pub struct Update {
    pub name: Ident,
    pub schema: Option<LitStr>,
    pub doc: LitStr,
    pub example: Option<TokenStream>,
    pub check: Option<Path>,
}

/// A field of a request.
#[derive(Clone)]
pub struct Field {
    pub visibility: Visibility,
    pub name: Ident,
    pub docs: Vec<Attribute>,
    pub ty: Type,
    pub wire: LitStr,
    pub also: Vec<Expr>,
    pub chars: Option<Expr>,
    pub line: bool,
    pub filled: bool,
    pub range: Option<ExprRange>,
    pub items: Option<ExprRange>,
    pub words: Option<Expr>,
    pub blank: bool,
    pub when: Option<Expr>,
    /// The inner `None`: that of its type.
    pub default: Option<Option<Expr>>,
    pub parse: Option<Expr>,
    pub from: Option<Type>,
    pub with: Option<Expr>,
    pub schema: Option<Type>,
    pub example: Option<TokenStream>,
    pub pattern: Option<Expr>,
    pub undocumented: bool,
    pub create: bool,
}

impl Declared {
    pub fn read(input: &DeriveInput) -> Result<Self> {
        let fields = match &input.data {
            Data::Struct(data) => &data.fields,
            _ => return Err(Error::new(input.span(), "a request is a struct, or an enum")),
        };
        let Fields::Named(named) = fields else {
            return Err(Error::new(input.span(), "a request has fields with names"));
        };
        let mut declared = Self {
            visibility: input.vis.clone(),
            name: input.ident.clone(),
            docs: docs(&input.attrs),
            schema: None,
            example: None,
            check: None,
            update: None,
            fields: named.named.iter().map(Field::read).collect::<Result<_>>()?,
        };
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("request")) {
            attribute.parse_nested_meta(|meta| declared.attribute(&meta))?;
        }
        Ok(declared)
    }

    fn attribute(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match word(meta)?.as_str() {
            "schema" => self.schema = Some(meta.value()?.parse()?),
            "example" => self.example = Some(tokens(meta)?),
            "check" => self.check = Some(meta.value()?.parse()?),
            "update" => self.update = Some(Update::read(meta)?),
            _ => return Err(meta.error("not known of a request")),
        }
        Ok(())
    }

    /// The request that updates what this one creates, when it declares one.
    pub fn updating(&self) -> Option<Self> {
        let update = self.update.as_ref()?;
        let doc = &update.doc;
        Some(Self {
            visibility: self.visibility.clone(),
            name: update.name.clone(),
            docs: vec![syn::parse_quote!(#[doc = #doc])],
            schema: update.schema.clone(),
            example: update.example.clone(),
            check: update.check.clone(),
            update: None,
            fields: self.fields.iter().filter(|field| !field.create).map(Field::optional).collect(),
        })
    }
}

impl Update {
    fn read(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let mut name = None;
        let mut schema = None;
        let mut doc = None;
        let mut example = None;
        let mut check = None;
        meta.parse_nested_meta(|meta| {
            match word(&meta)?.as_str() {
                "name" => name = Some(meta.value()?.parse()?),
                "schema" => schema = Some(meta.value()?.parse()?),
                "doc" => doc = Some(meta.value()?.parse()?),
                "example" => example = Some(tokens(&meta)?),
                "check" => check = Some(meta.value()?.parse()?),
                _ => return Err(meta.error("not known of an update")),
            }
            Ok(())
        })?;
        let missing = |what| meta.error(format!("an update needs {what}"));
        Ok(Self {
            name: name.ok_or_else(|| missing("name"))?,
            schema,
            doc: doc.ok_or_else(|| missing("doc"))?,
            example,
            check,
        })
    }
}

impl Field {
    fn read(field: &syn::Field) -> Result<Self> {
        let name = field.ident.clone().ok_or_else(|| Error::new(field.span(), "has no name"))?;
        let mut read = Self {
            visibility: field.vis.clone(),
            docs: docs(&field.attrs),
            ty: field.ty.clone(),
            wire: LitStr::new(&camel(&name.unraw().to_string()), Span::call_site()),
            name,
            also: Vec::new(),
            chars: None,
            line: false,
            filled: false,
            range: None,
            items: None,
            words: None,
            blank: false,
            when: None,
            default: None,
            parse: None,
            from: None,
            with: None,
            schema: None,
            example: None,
            pattern: None,
            undocumented: false,
            create: false,
        };
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("request")) {
            attribute.parse_nested_meta(|meta| read.attribute(&meta))?;
        }
        if read.from.is_some() && read.parse.is_none() {
            return Err(Error::new(field.span(), "`from` says what `parse` takes, and there is none"));
        }
        if read.when.is_some() && read.is_required() {
            return Err(Error::new(field.span(), "what is read only when something holds may be absent"));
        }
        Ok(read)
    }

    fn attribute(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match word(meta)?.as_str() {
            "name" => self.wire = meta.value()?.parse()?,
            "also" => self.also = meta.value()?.parse::<ExprArray>()?.elems.into_iter().collect(),
            "chars" => self.chars = Some(meta.value()?.parse()?),
            "line" => self.line = true,
            "filled" => self.filled = true,
            "range" => self.range = Some(range(meta)?),
            "items" => self.items = Some(range(meta)?),
            "words" => self.words = Some(meta.value()?.parse()?),
            "blank" => self.blank = true,
            "when" => self.when = Some(meta.value()?.parse()?),
            "default" if meta.input.peek(syn::Token![=]) => self.default = Some(Some(meta.value()?.parse()?)),
            "default" => self.default = Some(None),
            "parse" => self.parse = Some(meta.value()?.parse()?),
            "from" => self.from = Some(meta.value()?.parse()?),
            "with" => self.with = Some(meta.value()?.parse()?),
            "schema" => self.schema = Some(meta.value()?.parse()?),
            "example" => self.example = Some(tokens(meta)?),
            "pattern" => self.pattern = Some(meta.value()?.parse()?),
            "text" => {
                self.schema = Some(syn::parse_quote!(String));
                self.pattern = Some(meta.value()?.parse()?);
            }
            "undocumented" => self.undocumented = true,
            "create" => self.create = true,
            _ => return Err(meta.error("not known of a field of a request")),
        }
        Ok(())
    }

    /// Must it be there?
    pub fn is_required(&self) -> bool {
        self.default.is_none() && inside_option(&self.ty).is_none()
    }

    /// What it holds, without the `Option` around it.
    pub fn inner_type(&self) -> &Type {
        inside_option(&self.ty).unwrap_or(&self.ty)
    }

    /// What it is read as, or what the document says that it is.
    pub fn documented_type(&self) -> &Type {
        let shown = self.schema.as_ref().or(self.from.as_ref()).unwrap_or_else(|| self.inner_type());
        inside_option(shown).unwrap_or(shown)
    }

    /// The same field of an update.
    fn optional(&self) -> Self {
        let ty = &self.ty;
        let ty = if inside_option(ty).is_some() { ty.clone() } else { syn::parse_quote!(::core::option::Option<#ty>) };
        Self { ty, default: None, ..self.clone() }
    }
}

/// The `T` of an `Option<T>`.
pub fn inside_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

fn word(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(meta.path.require_ident()?.to_string())
}

/// All up to the next comma.
fn tokens(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    let expression: Expr = meta.value()?.parse()?;
    Ok(quote::quote!(#expression))
}

fn range(meta: &ParseNestedMeta<'_>) -> Result<ExprRange> {
    let range: ExprRange = meta.value()?.parse()?;
    let closed = matches!(range.limits, RangeLimits::Closed(_)) && range.start.is_some() && range.end.is_some();
    if closed { Ok(range) } else { Err(meta.error("is written first..=last")) }
}

fn docs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect()
}

/// `snake_case` in camel case.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel + letters.as_str()
    })
}
