"""Words of other fields than business, English and Spanish together, as `synonyms` has them: data, no rules."""

TRANSLATIONS = """
laboratory laboratories lab laboratorio laboratorios
sample samples muestra muestras
check checks checked verify verifies verified comprobar comprueba comprobado comprobacion verificar verificacion
test tests tested testing prueba pruebas probar ensayo ensayos
frame frames cuadro cuadros marco marcos bastidor
tighten tightening tightened apriete apretar
bolt bolts screw screws tornillo tornillos perno pernos
nut nuts tuerca tuercas
spring springs muelle muelles resorte
wheel wheels rueda ruedas
chain chains cadena cadenas
belt belts correa correas cinturon
pipe pipes tube tubes tubo tubos tuberia tuberias
valve valves valvula valvulas
hose hoses manguera mangueras
switch switches interruptor interruptores
button buttons boton botones
screen screens display pantalla pantallas
cable cables wire wires cableado
charger chargers cargador cargadores
charging recharge carga cargar recargar
store stored storage stores guardar guarda guardan almacenar almacenamiento conservar conserva conservacion
winter invierno
summer verano veranos
spring primavera
autumn otono
morning mornings manana mananas
evening evenings afternoon tarde tardes
used usado usada usados usadas
returned returning devuelto devuelta devueltos devueltas devolver
dealer dealers distributor distributors distribuidor distribuidora distribuidores concesionario
factory factories plant plants fabrica fabricas
hall warehouse building nave naves
industrial industriales
recall recalls recalled retirada retirar retirado retiradas
unit units unidad unidades
serial serie
sensor sensors sensores
paint painting painted pintura pintar pintado
welding weld welder welders soldadura soldar soldador soldadores
assembly assemble montaje montar ensamblaje
line lines linea lineas
packaging package packages packed embalaje paquete paquetes envase envases
label labels etiqueta etiquetas
pallet pallets pale pales
customs aduana aduanas
freight cargo flete fletes
carrier haulier transportista transportistas
transport transporte transportes transportar
aeroplane aircraft plane avion aviones
road carretera carreteras
bridge bridges puente puentes
bus buses coach autobus autobuses
festivo festivos feriado feriados
age ages edad edades
birth birthday nacimiento cumpleanos
family families familia familias
mother madre
father padre padres
parents padres
daughter daughters hija hijas
son sons hijo hijos
baby babies bebe bebes
nurse nurses enfermera enfermeras enfermero enfermeros
hospital hospitals hospitales
medicine medicines drug drugs medicamento medicamentos medicina medicinas
dose doses dosage dosis
pain dolor dolores
fever fiebre
vaccine vaccines vaccination vacuna vacunas vacunacion
blood sangre
tooth teeth dental diente dientes
eye eyes ojo ojos
skin piel
hand hands mano manos
foot feet pie pies
head heads cabeza
heart corazon
animal animals animales
horse horses caballo caballos
cow cows vaca vacas
sheep oveja ovejas
bee bees abeja abejas
honey miel
fish pez pescado peces pescados
meat carne carnes
cheese cheeses queso quesos
fruit fruits fruta frutas
vegetable vegetables verdura verduras hortaliza hortalizas
apple apples manzana manzanas
orange oranges naranja naranjas
grape grapes uva uvas
tree trees arbol arboles
forest wood woods bosque bosques
wood wooden timber madera maderas
plant plants planta plantas
seed seeds semilla semillas
field fields campo campos
soil earth tierra suelo suelos
rain lluvia lluvias
snow nieve
wind viento vientos
sun solar sol solares
heat hot warm calor caliente calientes
cold frio fria
dry seco seca secar
wet humid humidity humedo humeda humedad
ice hielo
gas gases
smoke smoking humo fumar
dust polvo
chemical chemicals quimico quimica quimicos quimicas
poison poisonous toxic veneno toxico toxica toxicos
danger dangers dangerous hazard hazards peligro peligros peligroso peligrosa
warning warnings advertencia advertencias aviso avisos
protection protect protects protected proteccion proteger protege protegido
safe strongbox segura
police policia
law laws legal ley leyes
rule rules regulation regulations norma normas regla reglas reglamento reglamentos
right rights derecho derechos
duty duties obligation obligations deber deberes obligacion obligaciones
permit permits permission permiso permisos autorizacion
prohibited forbidden prohibido prohibida prohibidos prohibir prohibe
party parties parte partes
heir heirs inheritance herencia heredero herederos testamento
property properties propiedad propiedades inmueble inmuebles finca fincas
mortgage mortgages hipoteca hipotecas
guarantor guarantee surety aval avalista fiador
share shares shareholder shareholders accionista accionistas
partner partners socio socia socios
capital capitals
liquidacion liquidaciones
bonus bonuses premium premiums prima primas
excess deductible franquicia franquicias
cover coverage covered cobertura coberturas
claim claims siniestro siniestros reclamacion reclamaciones
loss losses perdida perdidas
growth grow grew increase increased crecimiento crecer crecio aumento aumentar
decrease decreased reduction reduce reduced descenso reduccion reducir
average mean media promedio
rate rates tasa tasas
currency currencies moneda monedas divisa divisas
loan loans credit credits prestamo prestamos credito creditos
saving savings ahorro ahorros
beginning start starts starting inicio comienzo comienza empieza empezar
end ends ending finish fin final termina acaba finaliza
barbecue barbecues barbacoa barbacoas
campsite campsites camp camping acampada
main principal principales
quiet silence silent silencio
ladder ladders escalera escaleras
fountain fountains fuente fuentes
shower showers ducha duchas
people persons personas gente
builder builders contractor contractors constructora constructor contratista
mirror mirrors espejo espejos
tent tents tienda tiendas
scholarship scholarships grant grants beca becas
session sessions sesion sesiones
lesson lessons clase clases leccion lecciones
subject subjects asignatura asignaturas
mark marks grade grades nota notas calificacion calificaciones
degree degrees titulo titulos grado grados
university college universidad universidades
research investigacion investigaciones
science sciences ciencia ciencias
history historia
art arts arte artes
music musica
song songs cancion canciones
concert concerts concierto conciertos
theatre theater teatro teatros
film films movie movies pelicula peliculas cine
museum museums museo museos
exhibition exhibitions exposicion exposiciones
painter painters pintor pintora pintores
church churches iglesia iglesias
square squares plaza plazas
park parks parque parques
beach beaches playa playas
mountain mountains montana montanas
river rivers rio rios
lake lakes lago lagos
sea ocean mar oceano
village villages pueblo pueblos aldea
mayor alcalde alcaldesa
council ayuntamiento concejo
citizen citizens ciudadano ciudadanos
volunteer volunteers voluntario voluntarios voluntaria voluntarias
donation donations donate donacion donaciones donar
association associations asociacion asociaciones
club clubs clubes
player players jugador jugadora jugadores
game games match matches partido partidos juego juegos
race races carrera carreras
prize prizes award awards premio premios
winner winners ganador ganadora ganadores gano
event events evento eventos acto actos
party parties fiesta fiestas
dance dancing baile bailes bailar
choir choirs coro coros
rehearsal rehearsals ensayo ensayos
seat seats asiento asientos butaca butacas
stage escenario escenarios
light lights lighting luz luces iluminacion
sound sonido
camera cameras camara camaras
picture pictures photo photos photograph foto fotos fotografia fotografias imagen imagenes
book books libro libros
newspaper newspapers periodico periodicos
letter letters carta cartas
message messages mensaje mensajes
call calls llamada llamadas
website web site sitio pagina
user users usuario usuarios
file files archivo archivos fichero ficheros
computer computers laptop ordenador ordenadores portatil
software programa programas
version versions versiones
device devices dispositivo dispositivos
incident incidents incidencia incidencias incidente incidentes
service services servicio servicios
quality calidad
environment environmental ambiental
recycling recycle recycled reciclaje reciclar reciclado
glass vidrio cristal
plastic plastics plastico plasticos
metal metals metales
steel acero
iron hierro
gold oro
silver plata
stone stones piedra piedras
brick bricks ladrillo ladrillos
cement concrete cemento hormigon
tile tiles teja tejas baldosa baldosas azulejo
bed beds cama camas
table tables mesa mesas
chair chairs silla sillas
furniture mueble muebles mobiliario
blanket blankets manta mantas
sheet sheets sabana sabanas hoja hojas
washing laundry lavanderia colada lavado
soap jabon
hair pelo cabello
"""
"""One group a line: the words of both languages for one thing."""
